"""Methods of benchmarks/defaults.py, with their own defaults, on one thread.

All get the same training rows, y standardised by them, and positions of a fifth of the rows that
may be held out. A method that is trained in rounds takes their number from the rows held out, with
a patience of 50, and is then trained again on all rows. Docstrings say what each one does. Those
that are not of wgboost are optional: `pip install catboost lightgbm ngboost stochtree gpboost
pytabkit`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.base import clone

from wgboost import Mixture, Normal, WGBClassifier, WGBClassifierCV, WGBRegressor, WGBRegressorCV

__all__ = ["METHODS", "Fitted", "Method", "Task"]

Array = np.ndarray
PATIENCE = 50
MOST_ROUNDS = 4000  # of LightGBM; CatBoost keeps its default


@dataclass(frozen=True, eq=False)
class Task:
    """Training rows, positions of those that may be held out, and a seed."""

    X: Array
    y: Array  # standardised numbers, or codes from 0
    held: Array
    seed: int

    @property
    def inside(self) -> tuple[Array, Array]:
        """Rows that are not held out."""
        return np.delete(self.X, self.held, axis=0), np.delete(self.y, self.held)

    @property
    def outside(self) -> tuple[Array, Array]:
        """Rows that are held out."""
        return self.X[self.held], self.y[self.held]


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted model."""

    predict: Callable[[Array], Any]
    """Return a mixture, or probabilities of classes (n, k), for features (n, p)."""
    chosen: dict[str, Any]
    """What it chose, such as the number of rounds."""


Fit = Callable[[Task], Fitted]


def normals(mean: Array, deviation: Array) -> Mixture:
    """Return a normal for each row, or a mixture of normals for arrays (n, m)."""
    theta = np.stack([mean, np.log(np.maximum(deviation, 1e-6))], axis=-1)
    return Mixture(Normal(), theta if theta.ndim == 3 else theta[:, None])


def _residual_deviation(task: Task, predict: Callable[[Array], Array]) -> float:
    """Return the root mean square of the errors on the rows held out."""
    X, y = task.outside
    return float(np.sqrt(np.mean((y - np.asarray(predict(X))) ** 2)))


# --- wgboost ------------------------------------------------------------------------------------


def _own_numbers(estimator: type) -> Fit:
    def fit(task: Task) -> Fitted:
        model = estimator(n_jobs=1, random_state=task.seed).fit(task.X, task.y)
        return Fitted(model.predict_dist, _own_choices(model))

    return fit


def _own_classes(estimator: type) -> Fit:
    def fit(task: Task) -> Fitted:
        model = estimator(n_jobs=1, random_state=task.seed).fit(task.X, task.y)
        return Fitted(model.predict_proba, _own_choices(model))

    return fit


def _own_choices(model: Any) -> dict[str, Any]:
    if isinstance(model, WGBRegressorCV | WGBClassifierCV):
        return {"recipe": model.best_recipe_}
    return {"rounds": int(model.n_estimators_), "evidence": float(model.evidence_)}


# --- CatBoost -----------------------------------------------------------------------------------


def _catboost(task: Task, kind: Any, loss: str) -> tuple[Any, dict[str, float]]:
    """Return the refit with the rounds and the learning rate of the search."""

    def model(**options: Any) -> Any:
        return kind(
            loss_function=loss, random_seed=task.seed, thread_count=1, verbose=False,
            allow_writing_files=False, **options,
        )  # fmt: skip

    search = model().fit(
        *task.inside, eval_set=task.outside, early_stopping_rounds=PATIENCE, use_best_model=True
    )
    rounds = max(1, search.tree_count_)
    rate = search.get_all_params()["learning_rate"]  # its default depends on the rounds
    final = model(iterations=rounds, learning_rate=rate).fit(task.X, task.y)
    return final, {"rounds": rounds, "rate": rate}


def catboost_numbers(task: Task) -> Fitted:
    """CatBoost's RMSEWithUncertainty: the mean and the data uncertainty."""
    from catboost import CatBoostRegressor

    model, chosen = _catboost(task, CatBoostRegressor, "RMSEWithUncertainty")

    def predict(new: Array) -> Mixture:
        mean, variance = model.predict(new, thread_count=1).T
        return normals(mean, np.sqrt(variance))

    return Fitted(predict, chosen)


def catboost_classes(task: Task) -> Fitted:
    """CatBoost's MultiClass, for two classes as well."""
    from catboost import CatBoostClassifier

    model, chosen = _catboost(task, CatBoostClassifier, "MultiClass")
    return Fitted(lambda new: model.predict_proba(new, thread_count=1), chosen)


# --- LightGBM -----------------------------------------------------------------------------------


def _lightgbm(task: Task, kind: Any) -> tuple[Any, Any, dict[str, float]]:
    """Return the search, the refit and the rounds."""
    from lightgbm import early_stopping

    def model(rounds: int) -> Any:
        return kind(n_estimators=rounds, random_state=task.seed, n_jobs=1, verbose=-1)

    stop = early_stopping(PATIENCE, verbose=False)
    search = model(MOST_ROUNDS).fit(*task.inside, eval_set=[task.outside], callbacks=[stop])
    rounds = max(1, search.best_iteration_)
    final = model(rounds).fit(task.X, task.y)
    return search.booster_, final.booster_, {"rounds": rounds}


def lightgbm_numbers(task: Task) -> Fitted:
    """LightGBM's mean, and the deviation of the search's residuals on the rows held out."""
    from lightgbm import LGBMRegressor

    search, final, chosen = _lightgbm(task, LGBMRegressor)
    deviation = _residual_deviation(task, lambda X: search.predict(X, num_threads=1))

    def predict(new: Array) -> Mixture:
        mean = final.predict(new, num_threads=1)
        return normals(mean, np.full_like(mean, deviation))

    return Fitted(predict, chosen)


def lightgbm_classes(task: Task) -> Fitted:
    """LightGBM's classifier."""
    from lightgbm import LGBMClassifier

    _, final, chosen = _lightgbm(task, LGBMClassifier)

    def predict(new: Array) -> Array:
        share = final.predict(new, num_threads=1)
        return share if share.ndim == 2 else np.column_stack([1 - share, share])

    return Fitted(predict, chosen)


# --- NGBoost ------------------------------------------------------------------------------------


def _ngboost(task: Task, kind: Any, **options: Any) -> tuple[Any, dict[str, float]]:
    from ngboost.learners import default_tree_learner

    tree = clone(default_tree_learner).set_params(random_state=task.seed)  # else ties are drawn

    def model(rounds: int) -> Any:
        return kind(
            n_estimators=rounds, Base=tree, verbose=False, random_state=task.seed, **options
        )

    search = model(2000).fit(*task.inside, *task.outside, early_stopping_rounds=PATIENCE)
    rounds = max(1, search.best_val_loss_itr + 1)
    return model(rounds).fit(task.X, task.y), {"rounds": rounds}


def ngboost_numbers(task: Task) -> Fitted:
    """NGBoost with a normal and its defaults, at most 2,000 rounds."""
    from ngboost import NGBRegressor

    model, chosen = _ngboost(task, NGBRegressor)

    def predict(new: Array) -> Mixture:
        found = model.pred_dist(new).params
        return normals(found["loc"], found["scale"])

    return Fitted(predict, chosen)


def ngboost_classes(task: Task) -> Fitted:
    """NGBoost's classifier with its defaults, at most 2,000 rounds."""
    from ngboost import NGBClassifier
    from ngboost.distns import k_categorical

    model, chosen = _ngboost(task, NGBClassifier, Dist=k_categorical(int(task.y.max()) + 1))
    return Fitted(model.predict_proba, chosen)


# --- others -------------------------------------------------------------------------------------


def stochtree_numbers(task: Task) -> Fitted:
    """BART of stochtree with a forest of 20 trees for the variance: a mixture of 100 draws."""
    from stochtree import BARTModel

    model = BARTModel()
    model.sample(
        task.X, task.y, num_gfr=10, num_mcmc=100,
        general_params={"random_seed": task.seed, "num_threads": 1, "sample_sigma2_global": False},
        variance_forest_params={"num_trees": 20},
    )  # fmt: skip

    def predict(new: Array) -> Mixture:
        found = model.predict(new)
        return normals(found["y_hat"], np.sqrt(found["variance_forest_predictions"]))

    return Fitted(predict, {})


def gpboost_numbers(task: Task) -> Fitted:
    """GPBoost: trees and a Matern process of all features, by Vecchia's approximation."""
    import gpboost

    scale = np.where(task.X.std(axis=0) > 0, task.X.std(axis=0), 1)
    outer, inner = task.outside, task.inside

    def process(X: Array) -> Any:
        return gpboost.GPModel(
            gp_coords=X / scale, cov_function="matern", cov_fct_shape=1.5, likelihood="gaussian",
            gp_approx="vecchia", seed=task.seed, num_parallel_threads=1,
        )  # fmt: skip

    options = {"objective": "regression", "learning_rate": 0.1, "num_threads": 1, "verbose": -1}
    search_process = process(inner[0])
    search_process.set_prediction_data(gp_coords_pred=outer[0] / scale)
    data = gpboost.Dataset(*inner)
    search = gpboost.train(
        options, data, num_boost_round=1000, gp_model=search_process,
        valid_sets=gpboost.Dataset(*outer, reference=data), early_stopping_rounds=PATIENCE,
        use_gp_model_for_validation=True, verbose_eval=False,
    )  # fmt: skip
    rounds = max(1, search.best_iteration)
    final = gpboost.train(
        options, gpboost.Dataset(task.X, task.y), num_boost_round=rounds, gp_model=process(task.X)
    )

    def predict(new: Array) -> Mixture:
        found = final.predict(
            data=new, gp_coords_pred=new / scale, predict_var=True, pred_latent=False
        )
        return normals(found["response_mean"], np.sqrt(found["response_var"]))

    return Fitted(predict, {"rounds": rounds})


def realmlp_numbers(task: Task) -> Fitted:
    """RealMLP of pytabkit without a refit; its deviation is that of the rows held out."""
    from pytabkit import RealMLP_TD_Regressor

    model = RealMLP_TD_Regressor(device="cpu", n_threads=1, random_state=task.seed)
    model.fit(task.X, task.y, val_idxs=task.held)
    deviation = _residual_deviation(task, lambda X: np.ravel(model.predict(X)))

    def predict(new: Array) -> Mixture:
        mean = np.ravel(model.predict(new))
        return normals(mean, np.full_like(mean, deviation))

    return Fitted(predict, {})


def realmlp_classes(task: Task) -> Fitted:
    """RealMLP of pytabkit without a refit."""
    from pytabkit import RealMLP_TD_Classifier

    model = RealMLP_TD_Classifier(device="cpu", n_threads=1, random_state=task.seed)
    model.fit(task.X, task.y, val_idxs=task.held)
    return Fitted(model.predict_proba, {})


@dataclass(frozen=True)
class Method:
    """A method, and what it can be run on."""

    title: str
    numbers: Fit | None
    classes: Fit | None
    package: str = "wgboost"
    most_rows: int | None = None
    """It is skipped with more training rows, since it would take minutes."""
    settings: int = 1
    """Counted up when its settings here change, so that it is measured again."""

    @property
    def version(self) -> str:
        """The version of its package and of its settings; that of wgboost is given by a label."""
        try:
            return f"{version(self.package)}, settings {self.settings}"
        except PackageNotFoundError:
            return "not installed"

    def reason_to_skip(self, kind: str, n_rows: int) -> str | None:
        """Return why it cannot be run, or None."""
        if getattr(self, kind) is None:
            return f"it does not predict {kind}"
        if find_spec(self.package) is None:
            return f"{self.package} is not installed"
        if self.most_rows is not None and n_rows > self.most_rows:
            return f"it is run on at most {self.most_rows:,} rows"
        return None

    def fit(self, kind: str, task: Task) -> Fitted:
        """Return the fitted model."""
        with warnings.catch_warnings():
            if self.package != "wgboost":  # they warn of their own and of scikit-learn's changes
                warnings.simplefilter("ignore")
            return getattr(self, kind)(task)


METHODS = {
    "wgboost": Method("wgboost", _own_numbers(WGBRegressor), _own_classes(WGBClassifier)),
    "bag": Method("wgboost, bag", _own_numbers(WGBRegressorCV), _own_classes(WGBClassifierCV)),
    "catboost": Method("CatBoost", catboost_numbers, catboost_classes, "catboost"),
    "lightgbm": Method("LightGBM", lightgbm_numbers, lightgbm_classes, "lightgbm"),
    "ngboost": Method("NGBoost", ngboost_numbers, ngboost_classes, "ngboost", 5_000),
    "stochtree": Method("stochtree", stochtree_numbers, None, "stochtree", 20_000),
    "gpboost": Method("GPBoost", gpboost_numbers, None, "gpboost", 5_000),
    "realmlp": Method("RealMLP", realmlp_numbers, realmlp_classes, "pytabkit", 20_000),
}
