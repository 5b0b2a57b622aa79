"""Smooth starts in model files and checkpoints: the same bits, or an error."""

import hashlib
import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from wgboost import ModelFileError, SmoothStart, WGBRegressor, load
from wgboost.callbacks import Checkpoint

RNG = np.random.default_rng(3)
X = np.column_stack([RNG.uniform(-1, 1, size=(130, 2)), RNG.integers(3, size=130)])
X[::10, 1] = np.nan
Y = np.sin(4 * X[:, 0]) + X[:, 2] + 0.1 * RNG.normal(size=130)
NEW = np.column_stack([RNG.uniform(-2, 2, size=(50, 2)), RNG.integers(3, size=50)])
EXACT = SmoothStart(kernel="matern52", scaling="between")
FEW = SmoothStart(exact_rows=50, landmarks=30, kernel="rbf", scaling="rank")
PREFIX = len(b'{"__metadata__":{"sha256":"')


def model(init=EXACT, **options):
    settings = {"n_estimators": 8, "random_state": 1, "n_jobs": 1, "categorical_features": [2]}
    return WGBRegressor(init=init, **{**settings, **options})


@pytest.mark.parametrize("init", [EXACT, FEW])
@pytest.mark.parametrize("early", [False, True])
def test_a_smooth_start_is_loaded_to_the_bit(init, early, tmp_path):
    fitted = model(init, early_stopping=early).fit(X, Y)
    fitted.save(tmp_path / "model")
    again = load(tmp_path / "model")
    for one, other in zip(
        fitted.staged_predict_dist(NEW), again.staged_predict_dist(NEW), strict=True
    ):
        assert_array_equal(one.particles, other.particles)
    assert again.init == init
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    more = [
        one.set_params(n_estimators=12, warm_start=True, early_stopping=False).fit(X, Y)
        for one in (fitted, again)
    ]
    assert_array_equal(more[0].predict(NEW), more[1].predict(NEW))


class CrashError(Exception):
    in_refit = True

    def __init__(self, late):
        self.late = late

    def __call__(self, info):
        if info["round"] == 3 and self.late != bool(info["metrics"]):
            raise self


@pytest.mark.parametrize("init", [EXACT, FEW])
@pytest.mark.parametrize("late", [False, True])
def test_a_resumed_fit_gives_the_same_bytes(init, late, tmp_path):
    options = {
        "early_stopping": True, "n_estimators": 12, "subsample": 0.7, "learning_rate": 0.01,
        "evidence": 1.0, "tree": "shared",
    }  # fmt: skip
    weight = np.where(np.arange(130) % 13, 1.0, 0.0)
    with pytest.raises(CrashError):
        model(init, **options).fit(
            X,
            Y,
            weight,
            callbacks=[Checkpoint(tmp_path / "half", every_rounds=1), CrashError(late)],
        )
    model(init, **options).fit(X, Y, weight, resume_from=tmp_path / "half").save(tmp_path / "a")
    model(init, **options).fit(X, Y, weight).save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.fixture(scope="module", params=[EXACT, FEW], ids=["exact", "landmarks"])
def good(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model"
    model(request.param, n_estimators=2).fit(X, Y).save(path)
    return path.read_bytes()


def parts(data):
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    return header, json.loads(header["__metadata__"]["model"]), bytearray(data[8 + length :])


def made(header, changed, body):
    """A file with a checksum that fits."""
    metadata = {**header["__metadata__"], "model": json.dumps(changed), "sha256": "0" * 64}
    text = json.dumps({**header, "__metadata__": metadata}, separators=(",", ":")).encode()
    data = bytearray(len(text).to_bytes(8, "little") + text + body)
    data[8 + PREFIX : 8 + PREFIX + 64] = hashlib.sha256(data).hexdigest().encode()
    return bytes(data)


def floats_of_the_gp(header):
    return [
        name
        for name, tensor in header.items()
        if name.startswith("fitted.start_.gp") and tensor["dtype"] == "F64"
    ]


def test_values_that_are_not_finite_are_refused(good, tmp_path):
    header, contents, body = parts(good)
    names = floats_of_the_gp(header)
    assert len(names) > 8
    for name in names:
        begin, end = header[name]["data_offsets"]
        for bad in (np.nan, np.inf):
            broken = bytearray(body)
            broken[end - 8 : end] = np.float64(bad).tobytes()
            (tmp_path / "file").write_bytes(made(header, contents, broken))
            with pytest.raises(ModelFileError):
                load(tmp_path / "file")
        assert end - begin == 8 * int(np.prod(header[name]["shape"]))


def test_other_shapes_are_refused(good, tmp_path):
    header, contents, body = parts(good)
    for name in [name for name in header if name.startswith("fitted.start_.gp")]:
        shape = header[name]["shape"]
        if shape[-1] < 2:
            continue
        changed = {**header, name: {**header[name], "shape": [*shape, 1]}}
        (tmp_path / "file").write_bytes(made(changed, contents, body))
        with pytest.raises(ModelFileError):
            load(tmp_path / "file")


def changed_field(contents, path, value):
    changed = json.loads(json.dumps(contents))
    node = changed["fitted"]["start_"]
    for part in path[:-1]:
        node = node["fields"][part]
    node["fields"][path[-1]] = value
    return changed


DAMAGES = [
    (("gp", "covariance", "kernel"), "cubic"),
    (("gp", "covariance", "columns", "ranked"), 7.0),
    (("gp", "scale", "noise"), -1.0),
    (("gp", "scale", "share"), None),
    (("gp", "units", "scale"), 0.0),
    (("gp", "regression"), None),
    (("gp", "covariance", "columns"), 3),
    (("gp",), None),
    (("data",), "short"),
]


@pytest.mark.parametrize(("path", "value"), DAMAGES)
def test_invalid_parts_are_refused(path, value, good, tmp_path):
    header, contents, body = parts(good)
    (tmp_path / "file").write_bytes(made(header, changed_field(contents, path, value), body))
    with pytest.raises(ModelFileError):
        load(tmp_path / "file")


def test_a_gaussian_process_needs_the_columns_of_its_data(good, tmp_path):
    header, contents, body = parts(good)
    name = "fitted.start_.gp.covariance.columns.feature"
    begin, end = header[name]["data_offsets"]
    for feature in (-1, 3):
        body[begin:end] = np.full((end - begin) // 8, feature).tobytes()
        (tmp_path / "file").write_bytes(made(header, contents, body))
        with pytest.raises(ModelFileError, match="a column has no feature"):
            load(tmp_path / "file")
