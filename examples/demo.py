"""Boost ten outputs at once: handwritten digits, one tree with ten-vector leaves a round."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from wgboost.data import Features
from wgboost.learners import HistTree
from wgboost.trees import FlatTrees, TreeSettings

ROUNDS = 150
RATE = 0.3


def main() -> None:
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
    targets = np.eye(10, dtype=np.float32)[y_train].reshape(-1, 10, 1)
    features, rng = Features.from_raw(X_train), np.random.default_rng(0)

    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    print(f"{'trees':<14}{'split on':<16}{'error after ' + str(ROUNDS) + ' rounds':>24}")
    for tree, split_on in [("shared", "all"), ("shared", 3), ("per_particle", "all")]:
        learner = HistTree(TreeSettings(tree=tree, split_on=split_on, max_depth=4))
        state, rounds = np.zeros_like(targets), []
        for _ in range(ROUNDS):
            fitted = learner.fit(features, targets - state, rng=rng).scaled(RATE)
            fitted.add_to(state)
            rounds.append(fitted.flat)
        model = FlatTrees.join(rounds)
        errors = [np.mean(p[:, :, 0].argmax(1) != y_test) for p in model.staged_predict(X_test)]
        axes.plot(range(1, ROUNDS + 1), errors, label=f"{tree} trees, split on {split_on}")
        print(f"{tree:<14}{split_on!s:<16}{errors[-1]:>23.1%}")

    axes.set(xlabel="rounds", ylabel="share of test digits misread", yscale="log")
    axes.set_title("Digits: ten outputs boosted at once")
    axes.legend()
    folder = Path("demo_output")
    folder.mkdir(exist_ok=True)
    figure.savefig(folder / "digits.png", dpi=120)
    print(f"picture: {folder / 'digits.png'}")


if __name__ == "__main__":
    main()
