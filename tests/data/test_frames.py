"""Frames of any library give the model of the matrix that a person would code by hand."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from wgboost import WGBClassifier, WGBoost, WGBRegressor
from wgboost.data.schema import Schema
from wgboost.trees.flat import FlatTrees

RNG = np.random.default_rng(0)
N = 300
CITY = RNG.choice(["Bonn", "Aachen", "Oslo", "Bergen"], N).tolist()
SIZE = RNG.choice(["s", "m", "l"], N).tolist()
AGE, ROOMS = RNG.normal(40, 10, N), RNG.integers(1, 6, N)
NEW = RNG.random(N) < 0.5
Y = AGE / 10 + np.array([len(city) for city in CITY]) + NEW + 0.2 * RNG.normal(size=N)
GONE = {name: set(RNG.choice(N, 20).tolist()) for name in ("city", "size", "age", "rooms", "new")}


def holes(name, values):
    return [None if i in GONE[name] else value for i, value in enumerate(values)]


COLUMNS = {
    "city": holes("city", CITY),
    "size": holes("size", SIZE),
    "age": holes("age", AGE.tolist()),
    "rooms": holes("rooms", ROOMS.tolist()),
    "new": holes("new", NEW.tolist()),
}


def in_pandas():
    frame = pd.DataFrame(COLUMNS)
    kinds = {"size": pd.CategoricalDtype(["s", "m", "l"]), "rooms": "Int16", "new": "boolean"}
    return frame.astype(kinds)


def in_polars():
    return pl.DataFrame(COLUMNS).with_columns(pl.col("size").cast(pl.Enum(["s", "m", "l", "xl"])))


FRAMES = {
    "pandas": in_pandas,
    "pandas objects": lambda: pd.DataFrame(COLUMNS, dtype=object).astype({"age": float}),
    "pandas on Arrow": lambda: in_pandas().convert_dtypes(dtype_backend="pyarrow"),
    "polars": in_polars,
    "polars Categorical": lambda: in_polars().with_columns(pl.col("city").cast(pl.Categorical)),
    "Arrow": lambda: in_polars().to_arrow(),
}


def by_hand():
    """Categories numbered in alphabetical order, the rest as it is."""
    matrix = np.full((N, 5), np.nan)
    for j, values in enumerate(COLUMNS.values()):
        levels = sorted({v for v in values if v is not None})
        for i, value in enumerate(values):
            if value is not None:
                matrix[i, j] = levels.index(value) if j < 2 else float(value)
    return matrix


def small(kind=WGBRegressor, **options):
    return kind(n_estimators=8, n_particles=4, n_jobs=1, random_state=0, **options)


def same_trees(a: FlatTrees, b: FlatTrees) -> bool:
    arrays = [name for name, value in vars(a).items() if isinstance(value, np.ndarray)]
    assert {"category_set", "sets", "values", "threshold"} <= set(arrays)
    return all(getattr(a, name).tobytes() == getattr(b, name).tobytes() for name in arrays)


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize("options", [{}, {"early_stopping": True, "subsample": 0.7}], ids=str)
def test_a_frame_gives_the_model_of_the_hand_coded_matrix(library, options):
    frame, matrix = FRAMES[library](), by_hand()
    ours = small(**options).fit(frame, Y)
    plain = small(categorical_features=[0, 1], **options).fit(matrix, Y)
    assert len(ours.model_.ensemble.sets) > 0
    assert same_trees(ours.model_.ensemble, plain.model_.ensemble)
    expected = plain.predict_dist(matrix).particles
    assert ours.predict_dist(frame).particles.tobytes() == expected.tobytes()
    assert ours.feature_names_in_.tolist() == list(COLUMNS)
    assert ours.n_features_in_ == 5
    again = pickle.loads(pickle.dumps(ours))
    assert again.predict_dist(frame).particles.tobytes() == expected.tobytes()


def test_the_same_model_answers_frames_of_every_library():
    fitted = small().fit(in_pandas(), Y)
    answers = [fitted.predict(make()).tobytes() for make in FRAMES.values()]
    assert set(answers) == {fitted.predict(in_pandas()).tobytes()}


def test_columns_are_found_by_their_names():
    fitted = small().fit(in_pandas(), Y)
    shuffled = in_polars().select(["new", "age", "city", "rooms", "size"])
    assert fitted.predict(shuffled).tobytes() == fitted.predict(in_pandas()).tobytes()


@pytest.mark.parametrize("make", [in_pandas, in_polars], ids=["pandas", "polars"])
def test_y_may_be_a_column_of_the_frame(make):
    frame, whole = make(), make()
    if isinstance(frame, pd.DataFrame):
        whole["price"] = Y
    else:
        whole = whole.with_columns(pl.Series("price", Y))
    fitted = small().fit(whole, "price", X_val=whole, y_val="price")
    assert same_trees(fitted.model_.ensemble, small().fit(frame, Y).model_.ensemble)
    assert fitted.history_["validation"]["nll"][-1] < fitted.history_["validation"]["nll"][0]
    assert fitted.predict(whole).tobytes() == fitted.predict(frame).tobytes()
    with pytest.raises(ValueError, match="X has no column 'prize' to take as y; did you mean 'pr"):
        small().fit(whole, "prize")
    with pytest.raises(TypeError, match="y='price' names a column; X has to be a frame"):
        small().fit(by_hand(), "price")


@pytest.mark.parametrize(
    "asked", [[0, 1], ["city", "size"], [True, True, False, False, False], [-5, 1]], ids=str
)
def test_categorical_features_are_named_in_several_ways(asked):
    ours = small(categorical_features=asked).fit(in_pandas(), Y)
    assert same_trees(ours.model_.ensemble, small().fit(in_pandas(), Y).model_.ensemble)


def test_numbers_may_be_categories():
    X = np.column_stack([np.array([7.5, -1.0, 300.0])[RNG.integers(0, 3, N)], AGE])
    frame = pd.DataFrame({"a": pd.Categorical(X[:, 0]), "b": AGE})
    ours = small(categorical_features=[0]).fit(X, Y)
    named = small().fit(frame, Y)
    assert same_trees(ours.model_.ensemble, named.model_.ensemble)
    assert ours.model_.schema.levels[0].values == (-1.0, 7.5, 300.0)
    plain = frame.astype({"a": float})  # by value, as after a round trip through a file
    assert named.predict(plain).tobytes() == named.predict(frame).tobytes()


def test_classes_and_general_targets_take_frames_too():
    labels = np.where(np.median(Y) < Y, "dear", "cheap")
    ours = small(WGBClassifier).fit(in_polars(), labels)
    plain = small(WGBClassifier, categorical_features=[0, 1]).fit(by_hand(), labels)
    assert ours.predict_proba(in_polars()).tobytes() == plain.predict_proba(by_hand()).tobytes()
    samples = Y[:, None, None] + RNG.normal(size=(N, 5, 1))
    general = small(WGBoost).fit(in_pandas(), samples)
    assert len(general.model_.ensemble.sets) > 0
    assert np.abs(general.predict(in_polars()) - Y).mean() < np.abs(Y - Y.mean()).mean()


def test_rows_of_weight_zero_bring_no_categories():
    frame = in_pandas()
    frame.loc[250:, "city"] = [f"town {i % 40}" for i in range(50)]
    weight = np.repeat([1.0, 0.0], [250, 50])
    whole = small().fit(frame, Y, weight)
    part = small().fit(frame[:250], Y[:250], weight[:250])
    assert whole.model_.schema == part.model_.schema
    assert same_trees(whole.model_.ensemble, part.model_.ensemble)


def test_the_most_frequent_of_many_levels_have_the_first_codes():
    counts = np.r_[np.full(254, 3), np.ones(60, dtype=int)]
    names = np.array([f"{i:03d}" for i in RNG.permutation(314)])
    column = pd.Categorical(np.repeat(names, counts))
    schema, matrix = Schema.fit(pd.DataFrame({"a": column}))
    assert schema.n_levels.tolist() == [314]
    assert np.bincount(matrix[:, 0].astype(int)).tolist() == [3] * 254 + [1] * 60
    weight = np.repeat(np.where(np.arange(314) < 100, 0.1, 1.0), counts).astype(np.float32)
    _, weighted = Schema.fit(pd.DataFrame({"a": column}), weight=weight)
    rare = set(np.repeat(names, counts)[weighted[:, 0] >= 254])
    assert len(rare) == 60
    assert rare <= set(names[:100])
    assert Schema.from_arrays(**schema.to_arrays()) == schema


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_sparse_matrices_are_taken(kind, dtype):
    dense = (RNG.random((N, 6)) * 3).astype(int).astype(dtype)
    fitted = small().fit(kind(dense), Y)
    same = small().fit(dense, Y)
    assert same_trees(fitted.model_.ensemble, same.model_.ensemble)
    assert fitted.predict(kind(dense)).tobytes() == same.predict(dense).tobytes()


def test_a_model_of_an_array_answers_a_frame_with_a_warning():
    fitted = small(categorical_features=[0, 1]).fit(by_hand(), Y)
    frame = pd.DataFrame(by_hand(), columns=list(COLUMNS))
    with pytest.warns(UserWarning, match="fitted without feature names"):
        answer = fitted.predict(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert answer.tobytes() == fitted.predict(by_hand()).tobytes()
