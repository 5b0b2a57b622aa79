"""The main job on data that ships with scikit-learn: regression, classification, pictures."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes, load_digits
from sklearn.model_selection import train_test_split

from wgboost import WGBClassifier, WGBRegressor, metrics

FOLDER = Path("demo_output")


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    regression()
    classification()
    curve()
    print(f"pictures: {', '.join(str(p) for p in sorted(FOLDER.glob('*.png')))}")


def regression() -> None:
    X, y = load_diabetes(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    model = WGBRegressor(
        evidence=10, leaf="newton", l2=1, split_on="particle_mean", learning_rate=0.05,
        early_stopping=True, random_state=0,
    ).fit(X_train, y_train)  # fmt: skip
    dist = model.predict_dist(X_test)
    far = X_test + 10 * X_test.std(axis=0)
    scores_in, scores_out = model.ood_score(X_test), model.ood_score(far)
    print(f"diabetes, {len(y_test)} test rows, {model.n_estimators_} rounds")
    print(f"  NLL                          {metrics.nll(dist, y_test):8.3f}")
    print(f"  RMSE                         {metrics.rmse(dist, y_test):8.2f}")
    print(f"  CRPS                         {metrics.crps(dist, y_test):8.2f}")
    print(f"  coverage of the 90% interval {metrics.coverage(dist, y_test, 0.9):8.1%}")
    precision = metrics.ood_average_precision(scores_in, scores_out)
    print(f"  OOD average precision        {precision:8.3f}   (rows moved by 10 deviations)")


def classification() -> None:
    X, y = load_digits(return_X_y=True)
    inside = y < 8  # eights and nines are never shown to the model
    X_train, X_test, y_train, y_test = train_test_split(
        X[inside], y[inside], random_state=0, stratify=y[inside]
    )
    model = WGBClassifier(
        n_estimators=150, tree="per_particle", split_on="all", growth="best_first", max_depth=None,
        max_leaves=31, learning_rate=0.3, subsample=0.9, colsample=0.5, random_state=0,
    ).fit(X_train, y_train)  # fmt: skip
    dist = model.predict_dist(X_test)
    scores_in, scores_out = model.ood_score(X_test), model.ood_score(X[~inside])
    print(f"digits 0 to 7, {len(y_test)} test rows; 8 and 9 unseen")
    print(f"  NLL                          {metrics.nll(dist, y_test):8.3f}")
    print(f"  accuracy                     {metrics.accuracy(dist, y_test):8.1%}")
    precision = metrics.ood_average_precision(scores_in, scores_out)
    print(f"  OOD average precision        {precision:8.3f}   (8 and 9 as out of distribution)")
    unseen(scores_in, scores_out)


def unseen(scores_in: np.ndarray, scores_out: np.ndarray) -> None:
    """A picture of how far the particles disagree on digits that were shown and that were not."""
    figure, axes = plt.subplots(figsize=(8, 2.8), layout="constrained")
    bins = np.linspace(0, max(scores_in.max(), scores_out.max()), 40)
    for scores, label in ((scores_in, "digits 0 to 7, new rows"), (scores_out, "8 and 9, unseen")):
        share = np.full(len(scores), 1 / len(scores))
        axes.hist(scores, bins, weights=share, alpha=0.6, label=label)
    axes.set(
        xlabel="ood_score: largest variance of a class probability over particles",
        ylabel="share of rows", title="Digits: particles disagree on what was never shown",
    )  # fmt: skip
    axes.legend(fontsize=8)
    figure.savefig(FOLDER / "digits.png", dpi=110)
    plt.close(figure)


def curve() -> None:
    """A picture of noise and of the particles along one feature.

    A tree for each particle, on half of the rows: trees agree where there are data, less so in the
    gap. Beyond the data they keep what they learnt at its edge, the spread included.
    """
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(-3, -0.8, 150), rng.uniform(0.8, 3, 150)])
    y = np.sin(2 * x) + (0.1 + 0.15 * (x > 0)) * rng.normal(size=x.size)
    model = WGBRegressor(
        evidence=10, leaf="newton", l2=1, tree="per_particle", split_on="all", subsample=0.5,
        min_samples_leaf=5, n_estimators=150, random_state=0,
    ).fit(x[:, None], y)  # fmt: skip
    print("one feature, deviation of y by what the model does not know")
    places = {"where data are": x, "in the gap": np.linspace(-0.7, 0.7), "beyond": [-3.5, 3.5]}
    for place, at in places.items():
        unknown = model.predict_uncertainty(np.reshape(at, (-1, 1)))["epistemic"]
        print(f"  {place:<28} {np.sqrt(unknown.mean()):8.3f}")
    grid = np.linspace(-3.5, 3.5, 400)
    dist = model.predict_dist(grid[:, None])
    low, high = dist.interval(0.9)
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    axes.fill_between(grid, low, high, alpha=0.25, label="90% of the predictive distribution")
    axes.plot(grid, dist.params()["mean"], color="tab:orange", lw=0.6, alpha=0.6)
    axes.plot([], [], color="tab:orange", lw=1, label="particles: mean of y")
    axes.plot(grid, dist.mean(), color="tab:blue", label="mean")
    axes.scatter(x, y, s=8, color="black", alpha=0.5, label="training rows")
    axes.set(
        xlabel="x", ylabel="y", title="One feature: noise in the band, ignorance in the particles"
    )
    axes.set_ylim(-2.2, 1.6)
    axes.legend(loc="lower left", fontsize=8)
    figure.savefig(FOLDER / "curve.png", dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main()
