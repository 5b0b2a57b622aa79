"""Compare each response with NGBoost and LightGBMLSS on synthetic data, also censored data.

There are 5 features uniform on [-1, 1], location or log mean sin(2 x0), log scale or shape x1 / 2.
1,000 of 5,000 rows are validation rows, for early stopping and the choice of `evidence`; 4,000
others are test rows. The gap is the mean test NLL minus that of the truth on the same rows. The
other libraries have their defaults, early stopping on the same rows, and enough rounds. LightGBMLSS
starts at constants or at its own estimates, whichever is better on the validation rows.
"""

import argparse
import math
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy import optimize, special

from wgboost import (
    DiagonalNewton,
    EnergyDistance,
    Kernel,
    Mixture,
    TreeLearner,
    WGBClassifier,
    WGBoost,
    WGBRegressor,
    censored,
    metrics,
)
from wgboost.responses import RESPONSES, Response, as_response

EVIDENCE = (1, 3, 10, 30, 100)
ROUNDS, PATIENCE = 1000, 100
TRAIN, VALIDATION, TEST = 4000, 1000, 4000
DRAWS = 3  # of the censored data
# Parameters as functions of (sin(2 x0), x1 / 2), unless they are these two.
TRUTH: dict[str, Callable[..., tuple[Any, ...]]] = {
    "exponential": lambda location, _: (location,),
    "poisson": lambda location, _: (location,),
    "student_t": lambda location, shape: (location, shape, np.log(5 - 1)),  # 5 degrees of freedom
    "beta": lambda location, shape: (location, 2 + shape),
    "zero_inflated_poisson": lambda location, shape: (1 + location, shape),
    "zero_inflated_negative_binomial": lambda location, shape: (1 + location, shape - 1, -1),
    "categorical": lambda location, shape: (2 * location, 2 * shape),
    "ordinal": lambda location, shape: (1 + 2 * location, shape, shape),
    # Both means, both log scales, and the slope of the second column on the first.
    "multivariate_normal": lambda location, shape: (location, -location, shape, shape, location),
}
SIZES = {
    "categorical": {"n_classes": 3}, "ordinal": {"n_classes": 4},
    "multivariate_normal": {"n_dims": 2},
}  # fmt: skip
NGBOOST = {
    "normal": "Normal", "laplace": "Laplace", "cauchy": "Cauchy", "student_t": "T",
    "lognormal": "LogNormal", "gamma": "Gamma", "weibull": "Weibull", "beta": "Beta",
    "exponential": "Exponential", "poisson": "Poisson", "multivariate_normal": "MultivariateNormal",
}  # fmt: skip
LIGHTGBMLSS = {
    "normal": "Gaussian", "student_t": "StudentT", "laplace": "Laplace", "logistic": "Logistic",
    "gumbel": "Gumbel", "cauchy": "Cauchy", "lognormal": "LogNormal", "gamma": "Gamma",
    "weibull": "Weibull", "beta": "Beta", "poisson": "Poisson",
    "negative_binomial": "NegativeBinomial", "zero_inflated_poisson": "ZIPoisson",
    "zero_inflated_negative_binomial": "ZINB",
}  # fmt: skip
Data = tuple[np.ndarray, np.ndarray]
Model = WGBClassifier | WGBRegressor


# --- the data, and what is compared -----------------------------------------------------------


def response_of(name: str) -> Response:
    return as_response(name, **SIZES.get(name, {}))


def made(name: str, n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return X, y and the true parameters."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 5))
    plain = np.sin(2 * X[:, 0]), X[:, 1] / 2
    parts = TRUTH.get(name, lambda *both: both[: response_of(name).n_params])(*plain)
    theta = np.stack(np.broadcast_arrays(*parts), axis=1).astype(float)
    return X, response_of(name).rvs(theta, rng), theta


def best_constant(response: Response, y: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Return the maximum likelihood parameters without features."""
    return optimize.minimize(
        lambda theta: -response.logpdf(y, theta).mean(), start, method="Nelder-Mead"
    ).x


def fitted(response: Any, evidence: float, train: Data, validation: Data) -> Model:
    kernel = Kernel("gaussian", 0.1) if evidence == 1 else Kernel("scaled")
    kind = WGBClassifier if response.nominal else WGBRegressor
    return kind(
        response=response, n_estimators=ROUNDS, learning_rate=0.05, subsample=0.6, colsample=0.7,
        learner=TreeLearner(split_on="particle_mean"), l2=1, evidence=evidence,
        direction=DiagonalNewton(kernel), early_stopping=True, n_iter_no_change=PATIENCE, n_jobs=1,
        random_state=0,
    ).fit(*train, X_val=validation[0], y_val=validation[1])  # fmt: skip


def chosen(response: Any, train: Data, validation: Data) -> tuple[Model, int]:
    """Return the model and the evidence with the smallest NLL on the validation rows."""
    models = [fitted(response, evidence, train, validation) for evidence in EVIDENCE]
    losses = [metrics.nll(model.predict_dist(validation[0]), validation[1]) for model in models]
    best = int(np.argmin(losses))
    return models[best], EVIDENCE[best]


def ngboost(name: str, train: Data, validation: Data, test: Data) -> float:
    """Return the NLL of NGBoost."""
    import ngboost.distns
    from ngboost import NGBClassifier, NGBRegressor

    options = {"n_estimators": 2 * ROUNDS, "verbose": False, "random_state": 0}
    if name == "categorical":
        kind = ngboost.distns.k_categorical(SIZES[name]["n_classes"])
        train, validation, test = ((X, y.astype(int)) for X, y in (train, validation, test))
        model = NGBClassifier(Dist=kind, **options)
    else:
        kind = getattr(ngboost.distns, NGBOOST[name])
        if name == "multivariate_normal":
            kind = kind(SIZES[name]["n_dims"])
        model = NGBRegressor(Dist=kind, **options)
    model.fit(*train, *validation, early_stopping_rounds=PATIENCE)
    dist = model.pred_dist(test[0], max_iter=model.best_val_loss_itr + 1)
    if name == "categorical":
        return float(-np.log(dist.probs.T[np.arange(len(test[1])), test[1]]).mean())
    return float(-getattr(dist, "logpmf" if name == "poisson" else "logpdf")(test[1]).mean())


def lightgbmlss(name: str, train: Data, validation: Data, test: Data) -> float:
    """Return the NLL of LightGBMLSS."""
    import lightgbm
    import pandas as pd
    import torch
    from lightgbmlss.model import LightGBMLSS

    torch.set_num_threads(1)
    kind = LIGHTGBMLSS[name]
    family = getattr(import_module(f"lightgbmlss.distributions.{kind}"), kind)
    losses = np.empty((2, 2))
    for start, initialize in enumerate((False, True)):
        model = LightGBMLSS(family(initialize=initialize))
        data = [lightgbm.Dataset(X, label=y, free_raw_data=False) for X, y in (train, validation)]
        stop = lightgbm.early_stopping(PATIENCE, verbose=False)
        model.train({"num_threads": 1}, data[0], ROUNDS, valid_sets=[data[1]], callbacks=[stop])
        for of, (X, y) in enumerate((validation, test)):
            parameters = model.predict(pd.DataFrame(X), pred_type="parameters")
            columns = {key: torch.tensor(parameters[key].to_numpy()) for key in parameters}
            logs = model.dist.distribution(**columns).log_prob(torch.tensor(y))
            losses[of, start] = -logs.mean()
    return float(losses[1, np.nanargmin(losses[0])])


# --- the tables -------------------------------------------------------------------------------


def table(title: str, heads: list[str], rows: Iterator[list[str]]) -> None:
    print(f"\n## {title}\n\n| {' | '.join(heads)} |\n|---{'|--:' * (len(heads) - 1)}|")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def verdict(good: bool) -> str:
    return "pass" if good else "fail"


def family(name: str) -> list[str]:
    response = response_of(name)
    X, y, theta = made(name, TRAIN + VALIDATION, 0)
    X_test, y_test, theta_test = made(name, TEST, 1)
    train, validation, test = (X[:TRAIN], y[:TRAIN]), (X[TRAIN:], y[TRAIN:]), (X_test, y_test)
    true = float(-response.logpdf(y_test, theta_test).mean())
    constant = best_constant(response, y, theta.mean(axis=0))
    model, evidence = chosen(response, train, validation)
    gap = metrics.nll(model.predict_dist(X_test), y_test) - true
    scaled = []
    for unit in (1e-6, 1e6) if not response.discrete and name != "beta" else ():
        sets = [(part, unit * values) for part, values in (train, validation)]
        moved = fitted(response, evidence, *sets)
        loss = metrics.nll(moved.predict_dist(X_test), unit * y_test)
        in_units = loss - math.prod(response.y_shape) * np.log(unit)  # as y in units of 1
        scaled.append(f"{abs(in_units - true - gap):.4f}")
    peers = []
    for names, peer in (({**NGBOOST, "categorical": ""}, ngboost), (LIGHTGBMLSS, lightgbmlss)):
        there = name in names and find_spec(peer.__name__) is not None
        try:
            peers.append(f"{peer(name, train, validation, test) - true:.3f}" if there else "")
        except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
            print(f"{name}: {peer.__name__} fails: {error}", file=sys.stderr)
            peers.append("fails")
    mark = 0.03 if response.n_params <= 2 else 0.06
    return [
        name, str(response.n_params), f"{-response.logpdf(y_test, constant).mean() - true:.3f}",
        f"{gap:.3f}", f"<= {mark} {verdict(gap <= mark)}", str(evidence), str(model.n_estimators_),
        *peers, *(scaled or ["", ""]),
    ]  # fmt: skip


def in_time(name: str, n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return X, times and whether they are observed; 30% are censored."""
    X, y, _ = made(name, n, seed)
    ends = np.random.default_rng([seed, 1]).exponential(size=n)
    longest = optimize.brentq(lambda unit: (unit * ends < y).mean() - 0.3, 1e-3, 1e3)
    return X, np.minimum(y, longest * ends), y <= longest * ends


def survival_of_ngboost(kind: str, train: Any, validation: Any, X: np.ndarray) -> Mixture:
    """Return the predictions of NGBSurvival as mixtures of one particle."""
    import ngboost.distns
    from ngboost import NGBSurvival

    model = NGBSurvival(
        Dist=getattr(ngboost.distns, kind), n_estimators=2 * ROUNDS, verbose=False, random_state=0
    ).fit(*train, *validation, early_stopping_rounds=PATIENCE)
    found = model.pred_dist(X, max_iter=model.best_val_loss_itr + 1).params
    if kind == "Exponential":
        return Mixture(as_response("exponential"), np.log(found["scale"])[:, None, None])
    theta = np.stack([np.log(found["scale"]), np.log(found["s"])], axis=1)
    return Mixture(as_response("lognormal"), theta[:, None])


def survival(name: str, seed: int) -> dict[str, tuple[float, float]]:
    """Return the NLL and concordance of each model."""
    X, time, event = in_time(name, TRAIN + VALIDATION, 2 * seed)
    X_test, time_test, event_test = in_time(name, TEST, 2 * seed + 1)
    y, y_test = (
        censored(t, np.where(e, t, np.inf)) for t, e in ((time, event), (time_test, event_test))
    )
    model, _ = chosen(as_response(name), (X[:TRAIN], y[:TRAIN]), (X[TRAIN:], y[TRAIN:]))
    found = {f"ours, {name}": model.predict_dist(X_test)}
    if find_spec("ngboost") is not None:
        train, validation = ((X[s], time[s], event[s]) for s in (slice(TRAIN), slice(TRAIN, None)))
        for kind in ("LogNormal", "Exponential"):
            found[f"NGBSurvival, {kind}"] = survival_of_ngboost(kind, train, validation, X_test)
    return {
        key: (metrics.nll(dist, y_test), metrics.concordance(dist, y_test))
        for key, dist in found.items()
    }


def compared(name: str, scores: Iterable[dict[str, tuple[float, float]]]) -> Iterator[list[str]]:
    """Yield the rows of the table for one response."""
    draws = list(scores)
    means = {key: np.mean([draw[key] for draw in draws], axis=0) for key in draws[0]}
    (loss, order), *others = means.values()
    for key, (nll, concordance) in means.items():
        marks = ["", ""]
        if key.startswith("ours") and others:
            marks = [verdict(loss <= min(p[0] for p in others))]
            marks += [verdict(order >= max(p[1] for p in others))]
        yield [f"{name}: {key}", f"{nll:.4f}", marks[0], f"{concordance:.4f}", marks[1]]


def bimodal(X: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """Return samples (n, size, 1) around sin(2 x0) - 1 and sin(2 x0) + 1, of log sd x1 / 2 - 1."""
    left = rng.random((len(X), size)) < special.expit(2 * X[:, 2:3])
    middle = np.sin(2 * X[:, :1]) + np.where(left, -1, 1)
    return (middle + np.exp(X[:, 1:2] / 2 - 1) * rng.standard_normal(middle.shape))[..., None]


def samples(particles: int) -> list[str]:
    rng = np.random.default_rng(0)
    X, X_test = rng.uniform(-1, 1, (2000, 5)), rng.uniform(-1, 1, (500, 5))
    model = WGBoost(
        n_particles=particles, n_estimators=500, learning_rate=0.3, direction=EnergyDistance(),
        max_depth=5, n_jobs=1, random_state=0,
    ).fit(X, bimodal(X, 50, rng))  # fmt: skip
    fresh, equal = bimodal(X_test, 2000, rng), bimodal(X_test, particles, rng)
    ours, theirs = (
        float(metrics.energy_distance(a, fresh).mean())
        for a in (model.predict_particles(X_test), equal)
    )
    ratio = ours / theirs
    return [str(particles), f"{ours:.4f}", f"{theirs:.4f}", f"{ratio:.2f}", verdict(ratio <= 1.2)]


def quietly(task: Callable[[], Any]) -> Any:
    warnings.filterwarnings("ignore")
    return task()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--families", nargs="+", choices=RESPONSES, metavar="RESPONSE",
        help="only these responses",
    )  # fmt: skip
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--quick", action="store_true", help="only three responses")
    options = parser.parse_args()
    few = ["normal", "gamma", "poisson"] if options.quick else options.families
    with ProcessPoolExecutor(options.jobs) as pool:
        rows = pool.map(quietly, [partial(family, name) for name in few or RESPONSES])
        heads = ["response", "parameters", "constant", "ours", "mark", "evidence", "rounds"]
        heads += ["NGBoost", "LightGBMLSS", "change by y * 1e-6", "y * 1e6"]
        table("Responses: gap to the true NLL, nats", heads, rows)
        if few:
            return
        table(
            f"30 % censored on the right: means of {DRAWS} draws of the data",
            ["data: model", "NLL", "no worse", "concordance", "no worse"],
            (
                row
                for name in ("weibull", "lognormal")
                for row in compared(
                    name, pool.map(quietly, [partial(survival, name, s) for s in range(DRAWS)])
                )
            ),
        )
        rows = pool.map(quietly, [partial(samples, size) for size in (10, 20, 50)])
        heads = ["particles", "energy distance", "of a fresh sample", "ratio", "<= 1.2"]
        table("Bimodal sample targets", heads, rows)


if __name__ == "__main__":
    main()
