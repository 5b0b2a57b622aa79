"""Compare members that only OOD scores use by their detection of unknown classes.

Bags of earlier versions could have such "OOD members". They are not made any more, since they do
not improve the default OOD score. This is the experiment that had chosen their settings.

    WGBOOST_DATA=folder python benchmarks/left_out.py run --sets segment,digits
    python benchmarks/left_out.py table

Each class of a data set, at most six, is left out in turn. Models are fitted to 85% of the rows of
the others. Two things are measured: the average precision of the OOD score for the class left out
against the other 15% of rows, and the log loss and error of these rows. Only training rows of the
splits of segment and sensorless are used; neither test rows nor the classes that the paper leaves
out are read. The other sets are from scikit-learn or synthetic.

For each class there are four members of `WGBClassifierCV`, each stopped early on its own fold, and
two OOD members of each candidate. Bags of some of both are compared with the four alone.

The rule was fixed before the first run. As in the estimator of that time, a bag has OOD members
only if one of them with one other member detects the other left-out classes better ("gated").
Candidates, rounds and shares are admitted if their log loss is at most 0.01 above that of the four,
on average over sets. The one with the largest average precision by mutual information, on average
over sets, wins. The table ends with other margins of "better"; the estimator had 0.05.
"""

import argparse
import json
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
from sklearn.datasets import make_blobs, make_classification
from sklearn.model_selection import StratifiedKFold

from recipes import Table, rows
from wgboost import Mixture, TreeLearner, WGBClassifier, metrics
from wgboost.selection import classifier_recipes

ROUNDS = (100, 200, 300, 600)
BAGS = ((1, 0), (1, 1), (4, 0), (4, 1), (4, 2), (2, 2), (0, 2))
"""Members of the recipe and for OOD scores; the estimator's own trial compared the first two."""
SCORES = ("mutual_information", "max_variance")
MOST = 6  # classes to leave out
WORSE = 0.01  # largest increase of the log loss by OOD members, in nats
MARGINS = (0.0, 0.01, 0.02, 0.05, 0.1)


def _clouds(rng: np.random.Generator) -> Table:
    X, y = make_blobs(900, 2, centers=6, cluster_std=1.2, random_state=rng.integers(2**31))
    return np.hstack([X, rng.normal(scale=5, size=(900, 6))]), y


def _rings(rng: np.random.Generator) -> Table:
    y = rng.integers(4, size=800)
    radius, angle = 1 + y + 0.25 * rng.normal(size=800), rng.uniform(0, 2 * np.pi, 800)
    plane = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return np.hstack([plane, rng.normal(size=(800, 2))]), y


def _waves(rng: np.random.Generator) -> Table:
    """Return mixtures of two of three triangular waves with noise (Breiman et al., 1984)."""
    at = np.arange(21)
    waves = np.maximum(0, 6 - abs(at - np.array([[6], [14], [10]])))
    y, share = rng.integers(3, size=1000), rng.uniform(size=(1000, 1))
    pairs = np.array([[0, 1], [0, 2], [1, 2]])[y]
    mixed = share * waves[pairs[:, 0]] + (1 - share) * waves[pairs[:, 1]]
    return mixed + rng.normal(size=mixed.shape), y


MADE: dict[str, Callable[[np.random.Generator], Table]] = {
    "clouds": _clouds,
    "rings": _rings,
    "waves": _waves,
    "eight_classes": lambda rng: make_classification(
        1600, n_features=20, n_informative=10, n_classes=8, n_clusters_per_class=1, flip_y=0.0,
        random_state=rng.integers(2**31),
    ),
}  # fmt: skip
SETS = (
    "segment", "sensorless", "digits", "iris", "cultivars", "flipped", "random_labels", *MADE
)  # fmt: skip


def candidates() -> dict[str, dict]:
    """Return the settings of OOD members, by name."""
    recipe = {
        "max_depth": None, "l2": 0.0, "colsample": 0.5, "tree": "per_particle",
        "learner": TreeLearner(leaf="mean"), "evidence": 1.0, "subsample": 0.9,
        "learning_rate": 0.3, "early_stopping": False,
    }  # fmt: skip
    found = {
        f"mean, {leaves} leaves": {**recipe, "max_leaves": leaves} for leaves in (8, 16, 31, 63)
    }
    newton = TreeLearner(leaf="newton")
    found["newton, 31 leaves"] = {**recipe, "max_leaves": 31, "learner": newton, "l2": 1.0}
    for label, change in {
        "rate 0.1": {"learning_rate": 0.1}, "evidence 3": {"evidence": 3.0},
        "shared": {"tree": "shared"}, "columns 1": {"colsample": 1.0},
        "columns 0.3": {"colsample": 0.3},
    }.items():  # fmt: skip
        found[f"mean, 31 leaves, {label}"] = {**recipe, "max_leaves": 31, **change}
    return {name: {**one, "n_estimators": max(ROUNDS)} for name, one in found.items()}


# --- running ------------------------------------------------------------------------------------


def split_rows(name: str, repeat: int, source: str | None) -> tuple[Table, Table]:
    """Return rows for training and for evaluation, without the test rows of a split."""
    if name not in MADE:
        return rows(name, repeat, source)
    rng = np.random.default_rng([repeat, 11])
    X, y = MADE[name](rng)
    cut = int(0.85 * len(y))
    return (X[:cut], y[:cut]), (X[cut:], y[cut:])


def scores_of(members: list[Mixture], position: np.ndarray) -> dict:
    """Return the scores of a bag; rows after those with a class in `position` are unknown."""
    n = len(position)
    theta = np.concatenate([one.theta() for one in members], axis=1)
    bag = Mixture(members[0].response, theta)
    scores = {score: metrics.ood_scores(bag, score) for score in SCORES}
    known = bag[:n]
    return {
        "nll": metrics.nll(known, position), "error": 1 - metrics.accuracy(known, position),
        **{s: metrics.ood_average_precision(v[:n], v[n:]) for s, v in scores.items()},
    }  # fmt: skip


def one_class(left_out, inside: Table, outside: Table) -> list[dict]:
    """Return the scores of all bags that are fitted without a class."""
    kept, known = inside[1] != left_out, outside[1] != left_out
    X, y = inside[0][kept], inside[1][kept]
    unknown = np.vstack([inside[0][~kept], outside[0][~known]])
    new = np.vstack([outside[0][known], unknown])
    classes = np.unique(y)
    position = np.searchsorted(classes, outside[1][known])
    folds = [test for _, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)]
    recipe = next(iter(classifier_recipes(len(y)).values()))
    stopped = {**recipe, "n_estimators": 1000, "n_iter_no_change": 50, "early_stopping": True}

    def fitted(settings: dict, i: int) -> WGBClassifier:
        model = WGBClassifier(**{**settings, "refit": False, "random_state": i, "n_jobs": 1})
        return model.fit(X, y, validation_rows=folds[i])

    plain = [fitted(stopped, i).predict_dist(new) for i in range(4)]
    found = [
        {"kind": "plain", "rounds": 0, "bag": [few, 0], **scores_of(plain[:few], position)}
        for few, extra in BAGS
        if not extra
    ]
    for kind, settings in candidates().items():
        two = [fitted(settings, i) for i in range(2)]
        for rounds in ROUNDS:
            dists = [one.predict_dist(new, n_rounds=rounds) for one in two]
            found += [
                {"kind": kind, "rounds": rounds, "bag": [few, extra],
                 **scores_of(plain[:few] + dists[:extra], position)}
                for few, extra in BAGS
                if extra
            ]  # fmt: skip
    return found


def run(names: list[str], repeats: int, source: str | None, out: Path) -> None:
    done = {(one["set"], one["repeat"], one["class"]) for one in results(out)}
    for name, repeat in product(names, range(repeats)):
        inside, outside = split_rows(name, repeat, source)
        for left_out in np.unique(inside[1])[:MOST].tolist():
            if (name, repeat, left_out) in done:
                continue
            start = time.process_time()
            found = one_class(left_out, inside, outside)
            line = {"set": name, "repeat": repeat, "class": left_out, "found": found}
            with out.open("a") as file:
                file.write(json.dumps(line) + "\n")
            print(f"{name} {repeat} {left_out}: {time.process_time() - start:.0f} s", flush=True)


def results(out: Path) -> list[dict]:
    return [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []


# --- the table ----------------------------------------------------------------------------------

Key = tuple[str, int, tuple[int, int]]  # kind, rounds, members of the recipe and for OOD scores


def by_trial(found: list[dict]) -> dict[str, list[dict[Key, dict]]]:
    """Return the scores by data set, left-out class and bag."""
    trials: dict[str, list[dict[Key, dict]]] = {}
    for line in found:
        bags = {(o["kind"], o["rounds"], tuple(o["bag"])): o for o in line["found"]}
        trials.setdefault(line["set"], []).append({**bags, "repeat": line["repeat"]})  # type: ignore[dict-item]
    return trials


def gated(
    trials: list[dict], key: Key, metric: str, n_others: int | None = None, margin: float = 0.0
) -> float:
    """Return a metric's mean over the classes of a set, with OOD members where others want them.

    Others are the left-out classes of the same repeat, or the first `n_others` of them.
    """
    kind, rounds, _ = key
    gain = np.array([
        one[kind, rounds, (1, 1)][SCORES[0]] - one["plain", 0, (1, 0)][SCORES[0]] for one in trials
    ])  # fmt: skip
    repeat = np.array([one["repeat"] for one in trials])
    values = []
    for i, one in enumerate(trials):
        others = gain[(repeat == repeat[i]) & (np.arange(len(gain)) != i)][:n_others]
        values.append(one[key if others.mean() > margin else ("plain", 0, (4, 0))][metric])
    return float(np.mean(values))


def table(out: Path, without: list[str], margin: float) -> None:
    """Print the gain of bags over four members, in the order of the rule."""
    trials = {name: one for name, one in by_trial(results(out)).items() if name not in without}
    plain: Key = ("plain", 0, (4, 0))
    keys = [key for key in next(iter(trials.values()))[0] if key != "repeat" and key[2][1]]
    keys = [key for key in keys if key[2] != (1, 1)]

    def over_sets(key: Key, metric: str, **how: float) -> np.ndarray:
        if key == plain:
            return np.array([np.mean([o[plain][metric] for o in one]) for one in trials.values()])
        how = {"margin": margin, **how}
        return np.array([gated(one, key, metric, **how) for one in trials.values()])

    base = {metric: over_sets(plain, metric) for metric in (*SCORES, "nll", "error")}
    gain = {key: over_sets(key, SCORES[0]) - base[SCORES[0]] for key in keys}
    worse = {key: (over_sets(key, "nll") - base["nll"]).mean() for key in keys}
    order = sorted(keys, key=lambda key: (worse[key] > WORSE, -gain[key].mean()))
    print("Average precision of four members by mutual information, and what OOD members add; the")
    print(f"mean log loss in 0.001 nats and error in percent; beyond {WORSE} nats a bag is out.\n")
    print(f"| OOD members | rounds | bag | {' | '.join(trials)} | mean | log loss | error |")
    print("|---|--:|--:|" + "--:|" * (len(trials) + 3))
    cells = " | ".join(f"{100 * x:.1f}" for x in (*base[SCORES[0]], base[SCORES[0]].mean()))
    known = f"{1000 * base['nll'].mean():.0f} | {100 * base['error'].mean():.2f}"
    print(f"| none | | 4 | {cells} | {known} |")
    for key in order[:40]:
        cells = " | ".join(f"{100 * x:+.2f}" for x in (*gain[key], gain[key].mean()))
        error = 100 * (over_sets(key, "error") - base["error"]).mean()
        bag = f"{key[2][0]} + {key[2][1]}"
        print(
            f"| {key[0]} | {key[1]} | {bag} | {cells} | {1000 * worse[key]:+.1f} | {error:+.2f} |"
        )
    best = order[0]
    print("\nBy the rule:", best)
    print("\nIts gain with fewer other classes in the rule:")
    for n_others in (1, 2, 3, 5):
        fewer = over_sets(best, SCORES[0], n_others=n_others) - base[SCORES[0]]
        print(f"  {n_others}: {100 * fewer.mean():+.2f}")
    print("\nIts gain where the trial has to gain more than so much:")
    for least in MARGINS:
        there = over_sets(best, SCORES[0], margin=least) - base[SCORES[0]]
        print(f"  {least}: {100 * there.mean():+.2f}, the worst set {100 * there.min():+.2f}")
    print("\nMean average precision by score, without and with the best:")
    for score in SCORES:
        print(
            f"  {score}: {100 * base[score].mean():.2f} {100 * over_sets(best, score).mean():.2f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["run", "table"])
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--without", default="", help="sets that the table leaves out")
    parser.add_argument("--margin", type=float, default=0.0, help="of a trial")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--data", default=None, help="folder; the default is WGBOOST_DATA")
    parser.add_argument("--out", type=Path, default=Path("build/left_out.jsonl"))
    args = parser.parse_args()
    if args.what == "table":
        table(args.out, args.without.split(","), args.margin)
        return
    args.out.parent.mkdir(parents=True, exist_ok=True)
    names = args.sets.split(",")
    unknown = set(names) - set(SETS)
    if unknown:
        parser.error(f"unknown sets {sorted(unknown)}; known: {', '.join(SETS)}")
    run(names, args.repeats, args.data, args.out)


if __name__ == "__main__":
    main()
