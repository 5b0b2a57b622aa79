"""The parts of the report, each from the results that are there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from paper import densities, explain, report, toy
from paper.data import NoDataError
from paper.plan import ABLATION, CLASS_VARIANTS, SEED_SETS, SEEDS, Plan
from paper.report import Found, collect, markdown, plus_minus, values
from paper.reported import CLASSIFICATION, NLL, deviation

__all__ = ["SECTIONS"]


def _picture(name: str, says: str) -> str:
    return f"![{says}](figures/{name}.png)\n"


def toys(plan: Plan, results: Path, figures: Path) -> str:
    """Figure 1 and the comparison of four algorithms."""
    del results
    toy.draw_figure1(toy.figure1(), figures)
    found = toy.compare(repeats=2 if plan.quick else 10)
    toy.draw_comparison(found, figures)
    toy.draw_outputs(found, figures)
    words = toy.compared_in_words(found)
    rows = [
        [toy.ALGORITHMS[name], f"{w['after_25']:.3f}", f"{w['after_50']:.3f}",
         f"{w['after_100']:.3f}", f"{w['rounds_to_0.05']:.0f}", f"{w['jumps']:.1e}",
         f"{w['ms_a_round']:.2f}"]
        for name, w in words.items()
    ]  # fmt: skip
    head = ["algorithm", "after 25 rounds", "50", "100", "rounds to 0.05", "roughness",
            "CPU ms a round"]  # fmt: skip
    fastest = sorted(words, key=lambda name: words[name]["rounds_to_0.05"])[:2]
    checks = {
        "diagonal and full Newton fall fastest": set(fastest) == {"diagonal_newton", "full_newton"},
        "full Newton costs most a round": max(words, key=lambda n: words[n]["ms_a_round"])
        == "full_newton",
        "Langevin is slowest": max(words, key=lambda n: words[n]["after_100"]) == "langevin",
        "Langevin is noisy": max(words, key=lambda n: words[n]["jumps"]) == "langevin",
    }
    said = "\n".join(f"- {what}: {'yes' if true else 'NO'}" for what, true in checks.items())
    return f"""## Figure 1
Targets N(sin x, 0.5) at 10 grid points, kernel ridge regressors as learners, 10 particles.

{_picture("figure1", "particles after 0, 15 and 100 rounds")}
## Supplement: four algorithms
200 grid points, start at 10 points in [-10, 10], depth 3, rate 0.1; squared MMD with h = 0.025,
mean over 500 grid points. Roughness: mean size of the second difference of the last 40 rounds'
errors.

{markdown(head, rows)}
What the paper's text says of its figure, and whether it is so here:

{said}

{_picture("comparison", "error and time of four algorithms")}
{_picture("outputs", "particles of the four algorithms after 100 rounds")}"""


def conditional_densities(plan: Plan, results: Path, figures: Path) -> str:
    """Section 4.1."""
    del results
    rows, pictures = [], []
    for name, picture in densities.PICTURES.items():
        try:
            found = densities.draw(name, plan.source, figures)
        except NoDataError as error:
            return f"## Conditional densities\n\n{error}\n"
        rows.append([picture.title, f"{found['raw']:.3f}", f"{found['standardised']:.3f}"])
        pictures.append(_picture(f"density_{name}", picture.title))
    table = markdown(["set", "y as it is (pictures)", "y standardised (WGBRegressor)"], rows)
    return f"""## Conditional densities
Depth 1, rate 0.1, 500 rounds, 10 particles. The pictures leave y as it is, like the paper's; NLL of
the training rows that way and with y standardised:

{table}
{"".join(pictures)}"""


def regression(plan: Plan, results: Path, figures: Path) -> str:
    """Table 1."""
    del figures
    found = collect(plan.table1(), results)
    if not found:
        return ""
    nll, deviations = report.table1(found, "nll")
    rmse, _ = report.table1(found, "rmse")
    reached = sum(value <= 1 for value in deviations.values())
    return f"""## Table 1: regression
`WGBRegressor.paper(random_state=1)` on the standard splits: early stopping on 20 % of the training
rows up to 4,000 rounds, refit; NLL with NLL stopping and RMSE with RMSE stopping. A reported
deviation of 0.00 counts as 0.005. NLL within one of the paper's standard deviations or better:
{reached} of {len(deviations)} sets.

{nll}
{rmse}
Other methods as the paper reports them (not run here), NLL then RMSE:

{report.methods(found, "nll")}
{report.methods(found, "rmse")}"""


def author(plan: Plan, results: Path, figures: Path) -> str:
    """The author's repeats, one by one."""
    del figures
    theirs = plan.author()
    if theirs is None:
        return "## The author's repeats\n\nThe data folder has no author_results.csv.\n"
    head = ["set", "repeats", "NLL, ours", "the author's", "correlation", "rounds / the author's"]
    once, again = collect(plan.repeated(), results), collect(plan.again(), results)
    parts = [
        ("Every threshold, the author's start and units (`paper/faithful.py`):", once),
        ("255 bins and the author's start:", collect(plan.start(), results)),
        ("255 bins and wgboost's start, which is Table 1:", collect(plan.table1(), results)),
    ]
    text = "## The author's repeats\nThe same splits and validation rows, repeat by repeat.\n\n"
    for title, found in parts:
        rows = report.against_author(found, theirs, "nll")
        text += f"{title}\n\n{markdown(head, rows)}\n"
    return text + _ceiling(once, again, theirs)


def _ceiling(once: Found, again: Found, theirs: Any) -> str:
    """How far two runs of one program agree where the author's draws are not known."""
    rows = []
    for name in (name for name in again if name in once):
        common = sorted(set(once[name]) & set(again[name]))
        if len(common) < 3:
            continue
        first, second = (np.array([f[name][i]["nll"] for i in common]) for f in (once, again))
        his = np.array([theirs[name, "nll"][i][0] for i in common])
        pairs = ((first, second), (second, his), ((first + second) / 2, his))
        related = [np.corrcoef(*pair)[0, 1] for pair in pairs]
        rows.append([name, str(len(common)), *(f"{r:.3f}" for r in related)])
    if not rows:
        return ""
    head = ["set", "repeats", "two runs", "second and the author's", "mean and the author's"]
    return f"""Once more, with y larger by one part in ten million, as rounding to float32 may be
(concrete: with other digits of y). Correlation of the two runs with each other, of the second with
the author's, and of their mean with the author's:

{markdown(head, rows)}"""


def deviations(plan: Plan, results: Path, figures: Path) -> str:
    """One ingredient after the other."""
    del figures
    theirs = plan.author()
    kept: dict[tuple[str, str], dict[int, dict[str, Any]]] = {}
    for job in plan.explain():
        result = job.result(results)
        if result is not None:
            key = job.settings["name"], job.settings["variant"]
            kept.setdefault(key, {})[job.settings["repeat"]] = result
    if theirs is None or not kept:
        return ""
    rows = []
    for (name, variant), found in kept.items():
        ours = values(found, "nll")
        same = np.array([theirs[name, "nll"][i][0] for i in sorted(found)])
        leaf = [r["smallest_leaf"] for r in found.values() if "smallest_leaf" in r]
        related = np.corrcoef(ours, same)[0, 1] if len(ours) >= 10 else None
        rows.append([
            name, explain.VARIANTS[variant][0], str(len(found)),
            f"{ours.mean():.3f}", f"{same.mean():.3f}", "" if related is None else f"{related:.3f}",
            f"{np.sqrt(np.mean((ours - same) ** 2)):.3f}",
            f"{np.mean(leaf):.0f}" if leaf else "",
        ])  # fmt: skip
    head = ["set", "variant", "repeats", "NLL", "the author's", "correlation",
            "rms difference", "smallest leaf"]  # fmt: skip
    return f"""## Why figures deviate
Fitted with the author's number of rounds of each repeat, so that nothing but the variant differs.
Smallest leaf: training rows in the smallest leaf of a tree, median over the first 400 rounds.

{markdown(head, rows)}
{_ties(kept)}
{_worst(plan, results)}
{_seeds(plan, results)}"""


def _ties(kept: dict[tuple[str, str], dict[int, dict[str, Any]]]) -> str:
    """How far a program agrees with itself when splits of equal gain are taken in another order."""
    rows = []
    for name in (name for name, variant in kept if variant == "ties"):
        both = kept.get((name, "exact"), {}), kept[name, "ties"]
        common = sorted(set(both[0]) & set(both[1]))
        if len(common) >= 3:
            first, second = (np.array([found[i]["nll"] for i in common]) for found in both)
            rows.append([name, str(len(common)), f"{np.corrcoef(first, second)[0, 1]:.3f}"])
    if not rows:
        return ""
    head = ["set", "repeats", "correlation"]
    return f"""Exact trees whose ties are broken in two ways, correlation with each other:

{markdown(head, rows)}"""


def _worst(plan: Plan, results: Path) -> str:
    rows = []
    for job in plan.worst():
        found = job.result(results)
        if found is not None:
            name, variant = job.settings["name"], job.settings["variant"]
            rest = (found["nll"] * found["test_rows"] - found["worst_row"]) / (
                found["test_rows"] - 1
            )
            rows.append([name, explain.VARIANTS[variant][0], f"{found['nll']:.2f}",
                         f"{found['worst_row']:.1f}", f"{rest:.2f}"])  # fmt: skip
    if not rows:
        return ""
    head = ["set", "variant", "NLL", "worst test row", "NLL of the others"]
    return f"""Repeat {explain.WORST} of boston and yacht, the worst of Table 1, in the same way:

{markdown(head, rows)}"""


def _seeds(plan: Plan, results: Path) -> str:
    rows = []
    listed = {1: plan.table1(), **{s: [] for s in SEEDS}}
    for job in plan.seeds():
        listed[job.settings["changes"]["random_state"]].append(job)
    for seed, jobs in listed.items():
        found = collect(jobs, results)
        if any(name not in found for name in SEED_SETS):
            continue
        row = [str(seed)]
        for name in SEED_SETS:
            ours = values(found[name], "nll")
            row += [plus_minus(ours), f"{deviation(ours.mean(), NLL[name][0]):+.2f}",
                    f"{np.median(ours):.2f}", f"{ours.max():.2f}"]  # fmt: skip
        rows.append(row)
    head = ["random_state"]
    for name in SEED_SETS:
        head += [name, "/ sd", "median", "worst repeat"]
    return "Other draws of the start particles, all repeats:\n\n" + markdown(head, rows)


def ablation(plan: Plan, results: Path, figures: Path) -> str:
    """Other trees under the same protocol."""
    del figures
    found = {variant: collect(plan.ablation(variant), results) for variant in ABLATION}
    base = found["shared, sum"]
    rows, costs = [], []
    for name in base:
        row, cost = [name], [name]
        for ours in found.values():
            common = sorted(set(base[name]) & set(ours.get(name, {})))
            if not common:
                row.append("")
                cost.append("")
                continue
            figures_ = np.array([ours[name][i]["nll"] for i in common])
            better = np.mean([ours[name][i]["nll"] < base[name][i]["nll"] for i in common])
            shown = plus_minus(figures_)
            row.append(
                shown if ours is base else f"{shown} ({100 * better:.0f} %, n={len(common)})"
            )
            cost.append(f"{np.median([ours[name][i]['nll_rounds'] for i in common]):.0f}")
        rows.append(row)
        costs.append(cost)
    head = ["set", *ABLATION]
    return f"""## Trees: shared or per particle, and what a split looks at
NLL under the protocol of Table 1; in brackets the share of repeats that are better than with the
paper's tree (first column), and how many repeats were run.

{markdown(head, rows)}
Rounds that early stopping chose (median):

{markdown(head, costs)}"""


def classification(plan: Plan, results: Path, figures: Path) -> str:
    """Table 2."""
    del figures
    found = collect(plan.table2(), results, key="seed")
    if not found:
        return ""
    return f"""## Table 2: classes and out-of-distribution rows
`WGBClassifier.paper(random_state=1)`: 4,000 rounds at rate 0.4, five seeds, in percent. The columns
right of the difference are reported by the paper, not run.

{report.table2(found)}
{_segment(plan, results)}"""


def _segment(plan: Plan, results: Path) -> str:
    listed = {"random_state=1 (table)": plan.table2()}
    for variant, changes in CLASS_VARIANTS.items():
        name = ", ".join(f"{key}={value}" for key, value in changes.items())
        listed[name.replace("init=author", "the author's start")] = plan.classes([variant])
    rows = []
    for name, jobs in listed.items():
        found = collect(jobs, results, key="seed").get("segment")
        if found is None or (plan.quick and not found):
            continue
        row = [name.replace("learner=exact", "every threshold")]
        for key in ("accuracy", "ood"):
            ours = values(found, key)
            distance = deviation(ours.mean(), CLASSIFICATION["segment", key][0], digits=1)
            row += [plus_minus(ours), f"{distance:+.2f}"]
        rows.append([*row, f"{values(found, 'ood').min():.2f}"])
    head = ["segment", "accuracy", "/ sd", "OOD", "/ sd", "worst split"]
    return "Segment from other start particles, and with exact trees:\n\n" + markdown(head, rows)


SECTIONS: tuple[Callable[[Plan, Path, Path], str], ...] = (
    toys, conditional_densities, regression, author, deviations, ablation, classification,
)  # fmt: skip
