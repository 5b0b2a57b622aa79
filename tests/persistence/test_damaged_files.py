"""Files that are no models: damaged, cut off, hostile or of the future. One error, no harm."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from file_parts import loaded, made, parts
from wgboost import ModelFileError, WGBClassifier, WGBRegressor, load

ROOT = Path(__file__).parents[2]
RNG = np.random.default_rng(7)
X = RNG.normal(size=(80, 3))
Y = np.sin(2 * X[:, 0]) + 0.2 * RNG.normal(size=80)
SMALL = {"n_estimators": 3, "n_particles": 3, "random_state": 0, "n_jobs": 1}


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model"
    WGBRegressor(init=np.eye(3, 2), **SMALL).fit(X, Y).save(path)
    return path.read_bytes()


def test_the_parts_put_together_again_are_the_model(good, tmp_path):
    model = loaded(made(*parts(good)), tmp_path)
    assert model.n_estimators_ == 3
    assert np.isfinite(model.predict(X)).all()


def test_every_cut_is_refused(good, tmp_path):
    for length in [*range(200), *range(200, len(good), 97), len(good) - 1]:
        with pytest.raises(ModelFileError):
            loaded(good[:length], tmp_path)
    with pytest.raises(ModelFileError):
        loaded(good + b"\0", tmp_path)


def test_every_flipped_bit_is_refused(good, tmp_path):
    for place in range(0, len(good), 41):
        changed = bytearray(good)
        changed[place] ^= 1 << (place % 8)
        with pytest.raises(ModelFileError, match=r"damaged|not a wgboost model file"):
            loaded(bytes(changed), tmp_path)


@pytest.mark.parametrize(
    ("version", "remedy"),
    [
        ("3", r"load it with wgboost 7\.1 or later"),
        ("1", "no release wrote this format, so fit the model again and save it"),
        ("-1", "no release wrote this format"),
    ],
)
def test_a_file_of_another_format_says_which_version_reads_it(good, tmp_path, version, remedy):
    header, _, body = parts(good)
    header["__metadata__"] |= {"format_version": version, "wgboost_version": "7.1"}
    expected = rf"has format {version}, written by wgboost 7\.1; .* reads format 2: {remedy}"
    with pytest.raises(ModelFileError, match=expected):
        loaded(made(header, {"anything": 1}, body), tmp_path)


def test_a_damaged_file_of_another_format_is_called_damaged(good, tmp_path):
    header, model, body = parts(good)
    header["__metadata__"]["format_version"] = "1"
    data = bytearray(made(header, model, body))
    data[-1] ^= 1
    with pytest.raises(ModelFileError, match="checksum does not match"):
        loaded(bytes(data), tmp_path)


def test_lengths_are_checked_before_anything_is_allocated(good, tmp_path):
    for length in (2**20 + 1, 2**40, 2**64 - 1):
        with pytest.raises(ModelFileError, match="a header of"):
            loaded(length.to_bytes(8, "little") + good[8:], tmp_path)
    header, model, body = parts(good)
    for shape in ([2**40], [2**31, 2**31, 2**31], [0, 2**61], [-1], [1.5], [True], "ab"):
        header["fitted.start_.particles"]["shape"] = shape
        with pytest.raises(ModelFileError, match="damaged"):
            loaded(made(header, model, body), tmp_path)


def test_a_pipe_a_folder_and_nothing(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    began = time.monotonic()
    with pytest.raises(ModelFileError, match="is not a regular file"):
        load(tmp_path / "pipe")
    assert time.monotonic() - began < 5
    with pytest.raises((ModelFileError, IsADirectoryError)):
        load(tmp_path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing")


def nested(depth):
    return json.loads("[" * depth + "]" * depth)


CHANGES = [
    (["class"], "Popen", "estimator 'Popen' is not one of"),
    (["parameters", "n_estimators"], nested(30), "nested too deep"),
    (["parameters", "n_jobs"], 0, "n_jobs=0"),
    (["parameters", "no_such"], 1, "no_such"),
    (["parameters", "init"], {"kind": "object", "class": "os.system", "fields": {}}, "not known"),
    (["parameters", "init"], {"kind": "value"}, "unknown kind|multiple|missing"),
    (["parameters", "init"], {"kind": "array", "tensor": "features.types"}, "used twice|twice"),
    (["parameters", "init"], "flow", "is not used"),
    (["fitted", "seed_"], -1, "seed is out of range"),
    (["fitted", "seed_"], 2**200, "seed is out of range"),
    (["fitted", "n_estimators_"], 2, "rounds do not count up"),
    (["fitted", "n_estimators_"], True, "rounds do not count up"),
    (["fitted", "note_"], 2, "attribute 'note_' is not known"),
    (["fitted", "history_"], {"kind": "dict", "items": [["a", 3]]}, "damaged"),
    (["fitted", "validation_rows_"], "all", "rows held out are not indices"),
    (["fitted", "_init"], 3, "start is not described"),
    (["fitted", "refitted_"], 0, "refitted_ is neither"),
    (["fitted", "response_"], None, "the response is none"),
    (["fitted", "response_", "class"], "Poisson", "prior_shape|coordinates"),
    (["fitted", "response_", "class"], "Units", "unexpected keyword|response is none"),
    (["fitted", "response_", "fields", "prior_scale"], -1.0, "prior_scale=-1.0"),
    (["fitted", "units_", "fields", "scale"], 0.0, "scale=0.0"),
    (["fitted", "units_", "fields", "shift"], "x", "damaged"),
    (["fitted", "ensemble_", "fields", "n_features"], 10**9, "trees of 1000000000 features"),
    (["fitted", "ensemble_", "fields", "trees_per_round"], 0, "trees_per_round=0"),
    (["fitted", "ensemble_", "fields", "trees_per_round"], 1.0, "have to be integers"),
    (["fitted", "ensemble_", "class"], "ConstantStart", "unexpected keyword"),
    (["features", "names"], ["a"], "damaged"),
]


@pytest.mark.parametrize(("place", "value", "message"), CHANGES, ids=lambda v: str(v)[:40])
def test_what_does_not_fit_together_is_refused(place, value, message, good, tmp_path):
    header, model, body = parts(good)
    inner = model
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = value
    with pytest.raises(ModelFileError, match=message):
        loaded(made(header, model, body), tmp_path)


@pytest.mark.parametrize("part", ["class", "parameters", "features", "fitted"])
def test_a_missing_part_is_refused(part, good, tmp_path):
    header, model, body = parts(good)
    names = [None] if part in ("class", "parameters") else [None, *model[part]]
    names = [name for name in names if name != "row_parameters_"]  # earlier files have none
    for name in names:
        less = json.loads(json.dumps(model))
        (less if name is None else less[part]).pop(part if name is None else name)
        with pytest.raises(ModelFileError):
            loaded(made(json.loads(json.dumps(header)), less, body), tmp_path)


ENTRIES = [
    ("fitted.ensemble_.left", "<i4", 0, "child outside its tree"),
    ("fitted.ensemble_.feature", "<i4", 3, "splits on feature 3 of 3"),
    ("fitted.ensemble_.threshold", "<f8", np.nan, "no threshold"),
    ("fitted.ensemble_.output", "<i4", 1000, "writes outside"),
    ("fitted.ensemble_.first_node", "<i8", 7, "do not cover"),
    ("fitted.ensemble_.values", "<f4", np.inf, "a leaf value is not finite"),
    ("fitted.ensemble_.gain", "<f4", np.nan, "a gain is not finite"),
    ("fitted.ensemble_.cover", "<i8", -1, "negative number of rows"),
    ("fitted.start_.particles", "<f4", np.nan, "start particles are not numbers"),
    ("features.types", "u1", 77, "a column is of an unknown kind"),
]


@pytest.mark.parametrize(("name", "dtype", "value", "message"), ENTRIES)
def test_an_entry_that_makes_no_sense_is_refused(name, dtype, value, message, good, tmp_path):
    header, model, body = parts(good)
    begin, end = header[name]["data_offsets"]
    values = np.frombuffer(body[begin:end], dtype).copy()
    values[0] = value
    body = body[:begin] + values.tobytes() + body[end:]
    with pytest.raises(ModelFileError, match=message):
        loaded(made(header, model, body), tmp_path)


def test_classes_out_of_order_are_refused(tmp_path):
    y = np.array([3, 5, 9])[np.digitize(Y, [-0.5, 0.5])]
    WGBClassifier(init=np.eye(3, 2), **SMALL).fit(X, y).save(tmp_path / "model")
    header, model, body = parts((tmp_path / "model").read_bytes())
    begin, end = header["fitted.classes_"]["data_offsets"]
    for labels in ([5, 3, 9], [3, 3, 9]):
        changed = body[:begin] + np.array(labels, "<i8").tobytes() + body[end:]
        with pytest.raises(ModelFileError, match="classes are not in order"):
            loaded(made(header, model, changed), tmp_path)


def attacked(*arguments):
    script = [sys.executable, str(ROOT / "benchmarks" / "model_files.py"), *arguments]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_mutants_are_refused_or_harmless():
    out = attacked("--mutants", "300", "--kills", "5", "--seed", "1")
    assert "mutants 300, harm 0" in out
    assert re.search(r"as they are +150: refused 150\n", out)


@pytest.mark.slow
def test_ten_thousand_mutants_and_a_hundred_kills():
    out = attacked("--mutants", "10000", "--kills", "100")
    assert "mutants 10000, harm 0" in out
    assert re.search(r"as they are +5000: refused 5000\n", out)
    assert re.search(r"kills 100 \((\d+) in the middle of a file\), files that do not load 0", out)
