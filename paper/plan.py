"""Which jobs each part of the report is made of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paper import explain, faithful, table1, table2
from paper.data import REGRESSION, NoDataError, Source
from paper.jobs import Job
from paper.reported import author_repeats

__all__ = ["ABLATION", "AUTHOR_SETS", "CLASS_VARIANTS", "PARTS", "SEEDS", "SMALL", "Plan"]

SMALL = ("boston", "concrete", "energy", "wine", "yacht", "kin8nm")
AUTHOR_SETS = ("boston", "concrete", "energy", "yacht")
SEEDS = (2, 3, 4, 5)  # of the start particles, beside that of Table 1
SEED_SETS = ("boston", "yacht")
CLASS_VARIANTS: dict[str, dict[str, Any]] = {
    **{f"seed{seed}": {"random_state": seed} for seed in SEEDS},
    "start": {"init": "author"},
    "exact": {"init": "author", "learner": "exact"},
}
ABLATION: dict[str, dict[str, Any]] = {
    "shared, sum": {},
    "shared, all": {"split_on": "all"},
    "shared, particle mean": {"split_on": "particle_mean"},
    "per particle": {"tree": "per_particle", "split_on": "all"},
}
PARTS = (
    "table1",
    "table2",
    "classes",
    "start",
    "author",
    "again",
    "seeds",
    "explain",
    "worst",
    "ablation",
)
QUICK_SETS = ("boston", "energy", "wine", "yacht")


@dataclass(frozen=True)
class Plan:
    """All jobs, or with quick=True a few that show the way."""

    data: str | None
    quick: bool = False

    @property
    def source(self) -> Source:
        """Where the data come from."""
        return Source.chosen(self.data)

    @property
    def _most(self) -> int | None:
        return 2 if self.quick else None

    def _sets(self, names: Any) -> tuple[str, ...]:
        return tuple(name for name in names if not self.quick or name in QUICK_SETS)

    def author(self) -> dict[tuple[str, str], dict[int, tuple[float, int]]] | None:
        """The author's repeats, if the data folder has them."""
        path = None if self.data is None else Path(self.data) / "paper" / "author_results.csv"
        return author_repeats(path) if path is not None and path.exists() else None

    def table1(self) -> list[Job]:
        """Table 1 as `WGBRegressor.paper` gives it."""
        return table1.jobs(self._sets(REGRESSION), self.data, most=self._most)

    def table2(self) -> list[Job]:
        """Table 2: each set that can be had, one seed of the first when quick."""
        names = ["segment"]
        if not self.quick:
            try:
                names.append(self.source.sensorless().name)
            except NoDataError as error:
                print(error, flush=True)
        return table2.jobs(names, self.data)[: 1 if self.quick else None]

    def classes(self, variants: Any = tuple(CLASS_VARIANTS)) -> list[Job]:
        """Segment with other starts and with exact trees."""
        return [
            job
            for variant in variants
            if not self.quick
            for job in table2.jobs(
                ["segment"], self.data, CLASS_VARIANTS[variant], f"table2_{variant}"
            )
        ]

    def start(self) -> list[Job]:
        """Table 1's small sets from the author's start particles."""
        sets = self._sets(name for name in SMALL if name != "kin8nm")
        return table1.jobs(
            sets, self.data, label="start", changes={"init": "author"}, most=self._most,
            criteria=("nll",),
        )  # fmt: skip

    def repeated(self) -> list[Job]:
        """The author's repeats: every threshold, his start particles and units."""
        sets = ("boston",) if self.quick else AUTHOR_SETS
        return faithful.jobs(sets, self.data, self._most)

    def again(self) -> list[Job]:
        """The same once more, y changed by as much as rounding does."""
        return [] if self.quick else faithful.jobs(AUTHOR_SETS, self.data, again=True)

    def seeds(self) -> list[Job]:
        """Other draws of the start particles."""
        if self.quick:
            return []
        return [
            job
            for seed in SEEDS
            for job in table1.jobs(
                SEED_SETS, self.data, label=f"seed{seed}", changes={"random_state": seed},
                criteria=("nll",),
            )
        ]  # fmt: skip

    def explain(self) -> list[Job]:
        """One ingredient after the other, with the author's numbers of rounds."""
        author = self.author()
        return [] if author is None or self.quick else explain.jobs(author, self.data)

    def worst(self) -> list[Job]:
        """What the worst repeat of boston and yacht comes from."""
        author = self.author()
        return [] if author is None or self.quick else explain.worst_jobs(author, self.data)

    def ablation(self, variant: str) -> list[Job]:
        """The small sets with other trees; the first variant is Table 1 itself."""
        sets = self._sets(SMALL)
        if not ABLATION[variant]:
            return table1.jobs(sets, self.data, most=self._most)
        label = "ablation/" + variant.replace(", ", "_").replace(" ", "_")
        return table1.jobs(
            sets, self.data, label=label, changes=ABLATION[variant], most=self._most,
            criteria=("nll",),
        )  # fmt: skip

    def jobs(self, parts: Any = PARTS) -> list[Job]:
        """All jobs of some parts, those that stand for two parts once."""
        listed: dict[str, Job] = {}
        for part in parts:
            if part == "ablation":
                found = [job for variant in ABLATION for job in self.ablation(variant)]
            else:
                found = getattr(self, "repeated" if part == "author" else part)()
            listed.update({job.name: job for job in found})
        return list(listed.values())
