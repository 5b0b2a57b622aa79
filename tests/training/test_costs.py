"""What a fit cannot work with is refused before anything is allocated, and named."""

import re
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest

from wgboost import WGBClassifier, WGBoost, WGBRegressor
from wgboost.machine import memory_limit
from wgboost.training.cost import check_shape

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = X[:, 0] + 0.1 * RNG.normal(size=40)
SMALL = {"n_estimators": 2, "n_particles": 3, "n_jobs": 1, "random_state": 0}
HUGE = [
    (WGBRegressor, Y, {}),
    (WGBRegressor, np.c_[Y, Y], {"response": "multivariate_normal"}),
    (WGBClassifier, Y > 0, {}),
    (WGBoost, RNG.normal(size=(40, 4)), {"direction": "energy"}),
]


@pytest.mark.parametrize(("kind", "y", "options"), HUGE)
def test_particles_that_memory_cannot_hold_are_refused_before_anything_is_allocated(
    kind, y, options
):
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"n_particles=1000000000 with 40 rows .* of memory, of"):
        kind(**{**SMALL, **options, "n_particles": 10**9}).fit(X, y)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert taken < 10_000_000


def test_particles_whose_pairs_would_take_months_are_refused():
    with pytest.raises(ValueError, match=r"n_particles=200000 with 1 rows of 2 parameters: 4\.0e"):
        check_shape(200_000, 1, 2, 5000, 100)


def test_a_slow_fit_says_what_it_costs():
    start = RNG.normal(size=(2000, 2))
    with pytest.warns(
        UserWarning, match="8.0e.09 pairs of particles in every round, about"
    ) as all_:
        check_shape(2000, 2000, 2, 5000, 100)
    assert "in the flow to the start, about 6.67 minutes" in str(all_[0].message)
    # 16 seconds a round and 400 to start.
    assert "up to 33.3 minutes with all of 100 rounds" in str(all_[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_shape(100, 1_000_000, 2, 5000, 100)
        check_shape(500, 1000, 2, 5000, 100)
        # A given start costs nothing.
        WGBRegressor(
            **{**SMALL, "n_particles": 2000, "n_estimators": 0, "init": start}, early_stopping=False
        ).fit(X, Y)


def advised(*shape):
    """Return the number of particles that a refusal of a billion of them advises."""
    with pytest.raises(ValueError, match="n_particles=1000000000 with") as refused:
        check_shape(10**9, *shape)
    return int(re.search(r"n_particles=(\d+) would fit and take about", str(refused.value))[1])


@pytest.mark.parametrize("shape", [(40, 2, 5000, 2), (1000, 2, 5000, 4000), (10**6, 2, 0, 100)])
def test_the_particles_that_are_advised_take_under_a_minute(shape):
    n_rows, _, steps, rounds = shape
    most, digit = advised(*shape), 10 ** (len(str(advised(*shape))) - 1)

    def seconds(particles):
        return particles**2 * (steps / 5e7 + rounds * n_rows / 5e8)

    assert seconds(most) <= 60 < seconds(most + digit)


def test_the_total_is_that_of_the_rounds_asked_for_or_of_the_limit():
    slow = {"n_particles": 2000, "n_jobs": 1}
    for options, rounds in (({}, 40), ({"n_estimators": 7}, 7), ({"early_stopping": True}, 4000)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", "n_particles=2000 with 40 rows")
            with pytest.raises(UserWarning, match=f"with all of {rounds} rounds"):
                WGBRegressor(**slow, **options).fit(X, Y)


def test_the_memory_of_the_machine_is_known():
    assert 2**27 < memory_limit() < 2**50


def masked(values):
    return np.ma.array(values, mask=np.arange(40) == 7)


def test_a_masked_value_is_no_value():
    small = WGBRegressor(**SMALL)
    for given, name in (
        ({"y": masked(Y)}, "y"),
        ({"y": Y, "sample_weight": masked(np.ones(40))}, "sample_weight"),
        ({"y": Y, "offset": masked(np.ones(40))}, "offset"),
        ({"y": Y, "X_val": X, "y_val": masked(Y)}, "y_val"),
        ({"y": Y, "X_val": [X, X], "y_val": [Y, masked(Y)]}, "y_val"),
    ):
        with pytest.raises(ValueError, match=f"^{name} is masked at row 7; drop the row or fill"):
            small.fit(X, **given)
    with pytest.raises(ValueError, match="y is masked at row 7"):
        WGBClassifier(**SMALL).fit(X, masked((Y > 0).astype(int)))
    whole = small.fit(X, Y).predict(X)
    assert (small.fit(X, np.ma.array(Y)).predict(X) == whole).all()  # nothing is masked


def test_a_missing_value_of_a_nullable_column_is_named():
    for kind, y, dtype in (
        (WGBRegressor, Y, "Float64"),
        (WGBRegressor, np.arange(40), "Int64"),
        (WGBClassifier, np.arange(40) % 3, "Int64"),
        (WGBClassifier, Y > 0, "boolean"),
    ):
        column = pd.Series(y, dtype=dtype)
        kind(**SMALL).fit(X, column)
        column[7] = pd.NA
        with pytest.raises(ValueError, match=r"y is (nan|<NA>) at row 7; drop the row or fill"):
            kind(**SMALL).fit(X, column)


@pytest.mark.parametrize("names", [[("a", "x"), ("a", "y")], [("a", "x"), ("a", "x")]])
def test_columns_with_levels_of_names_are_refused_with_a_remedy(names):
    frame = pd.DataFrame(X, columns=pd.MultiIndex.from_tuples(names))
    model = WGBRegressor(**SMALL)
    with pytest.raises(
        TypeError, match=r"several levels of names \(MultiIndex\), such as \('a', 'x"
    ):
        model.fit(frame, Y)
    frame.columns = ["_".join(map(str, name)) + str(i) for i, name in enumerate(frame.columns)]
    model.fit(frame, Y)
    with pytest.raises(TypeError, match="MultiIndex"):
        model.predict(pd.DataFrame(X, columns=pd.MultiIndex.from_tuples(names)))
