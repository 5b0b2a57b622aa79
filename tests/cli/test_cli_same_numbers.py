"""The command line and Python give the same numbers."""

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_array_equal

import wgboost
from cli_files import FAST, SETTINGS, call, facts, houses, write_messy
from wgboost import WGBClassifier, WGBRegressor

TRAIN, TEST = houses(160, 0), houses(90, 1)


@pytest.fixture(params=["csv", "parquet"])
def files(request, tmp_path):
    """Write the same tables as messy CSV or as Parquet."""
    paths = []
    for name, frame in (("train", TRAIN), ("test", TEST)):
        path = tmp_path / f"{name}.{request.param}"
        if request.param == "csv":
            write_messy(frame, path)
        else:
            frame.write_parquet(path)
        paths.append(path)
    return paths


def same(column, values):
    assert column.to_list() == np.asarray(values).tolist()


def test_regression_from_fit_to_report(files, tmp_path):
    train, test = files
    model, out, page = (tmp_path / name for name in ("m.wgb", "out.csv", "cli.html"))
    result = facts("fit", train, "--target", "price", "--ignore", "id,kind", "--out", model,
                 "--validation", "0.25", "--evidence", "5", *FAST)  # fmt: skip
    call("predict", model, test, "--out", out, "--keep", "id", "--quantiles", "0.1,0.5,0.975")
    scores = facts("evaluate", model, test, "--report", page)

    known = TRAIN.filter(pl.col("price").is_not_null()).drop("id", "kind")
    python = WGBRegressor(
        evidence=5, early_stopping=True, validation_fraction=0.25, **SETTINGS
    ).fit(known, y="price")  # fmt: skip
    assert result["rounds"] == python.n_estimators_
    assert result["rows"] == known.height < TRAIN.height
    X = TEST.drop("id", "kind", "price")
    found = pl.read_csv(out, schema_overrides={"id": pl.String})
    assert found["id"].to_list() == TEST["id"].to_list()
    same(found["mean"], python.predict(X))
    parts = python.predict_uncertainty(X)
    for name, part in (("std", "total"), ("std_aleatoric", "aleatoric")):
        same(found[name], np.sqrt(parts[part]))
    same(found["std_epistemic"], np.sqrt(parts["epistemic"]))
    for name, values in zip(
        ("q0.1", "q0.5", "q0.975"), python.predict_quantiles(X, [0.1, 0.5, 0.975]).T, strict=True
    ):
        same(found[name], values)
    same(found["ood_score"], python.ood_score(X))

    rows = TEST.filter(pl.col("price").is_not_null())
    numbers = wgboost.report(
        python, rows.drop("id", "kind", "price"), rows["price"], tmp_path / "python.html"
    )
    assert scores["metrics"] == numbers
    assert scores["rows"] == rows.height
    assert page.read_bytes() == (tmp_path / "python.html").read_bytes()


def test_classification_from_fit_to_report(files, tmp_path):
    train, test = files
    model, out, page = (tmp_path / name for name in ("m.wgb", "out.parquet", "cli.html"))
    result = facts("fit", train, "--target", "kind", "--ignore", "id", "--ignore", "price",
                 "--out", model, *FAST)  # fmt: skip
    assert result["task"] == "classification"
    call("predict", model, test, "--out", out)
    scores = facts("evaluate", model, test, "--report", page)

    python = WGBClassifier(**SETTINGS).fit(TRAIN.drop("id", "price"), y="kind")
    X, found = TEST.drop("id", "price", "kind"), pl.read_parquet(out)
    same(found["prediction"], python.predict(X))
    shares = python.predict_proba(X)
    for j, label in enumerate(python.classes_):
        same(found[f"p_{label}"], shares[:, j])
    parts = python.predict_uncertainty(X)
    same(found["entropy"], parts["total"])
    same(found["entropy_aleatoric"], parts["aleatoric"])
    same(found["entropy_epistemic"], parts["epistemic"])
    same(found["ood_score"], python.ood_score(X))
    numbers = wgboost.report(python, X, TEST["kind"], tmp_path / "python.html")
    assert scores["metrics"] == numbers
    assert page.read_bytes() == (tmp_path / "python.html").read_bytes()


def test_csv_and_parquet_give_the_same_model(tmp_path):
    write_messy(TRAIN, tmp_path / "train.csv")
    TRAIN.write_parquet(tmp_path / "train.parquet")
    for kind in ("csv", "parquet"):
        call("fit", tmp_path / f"train.{kind}", "--target", "price", "--ignore", "id,kind",
             "--out", tmp_path / f"{kind}.wgb", *FAST)  # fmt: skip
    assert (tmp_path / "csv.wgb").read_bytes() == (tmp_path / "parquet.wgb").read_bytes()
    # A model of one kind of file predicts the other kind.
    results = [
        call("predict", tmp_path / "csv.wgb", tmp_path / f"train.{kind}").stdout
        for kind in ("csv", "parquet")
    ]
    assert results[0] == results[1]
    assert results[0].count("\n") == TRAIN.height + 1


def test_blocks_of_rows_do_not_change_predictions(tmp_path, monkeypatch):
    TRAIN.write_parquet(tmp_path / "train.parquet")
    call("fit", tmp_path / "train.parquet", "--target", "price", "--ignore", "id,kind",
         "--response", "gamma", "--out", tmp_path / "m.wgb", *FAST)  # fmt: skip
    whole = call("predict", tmp_path / "m.wgb", tmp_path / "train.parquet").stdout
    monkeypatch.setattr("wgboost.cli.predict._BLOCK", 7)
    assert call("predict", tmp_path / "m.wgb", tmp_path / "train.parquet").stdout == whole


def test_command_line_reads_models_saved_in_python(tmp_path):
    rows = TRAIN.filter(pl.col("price").is_not_null())
    X = rows.select("area", "rooms").cast(pl.Float64).to_numpy()
    python = WGBRegressor(**SETTINGS).fit(X, rows["price"].to_numpy())
    python.save(tmp_path / "m.wgb")
    rows.select("area", "rooms", "price").write_csv(tmp_path / "rows.csv")
    scores = facts("evaluate", tmp_path / "m.wgb", tmp_path / "rows.csv", "--target", "price")
    numbers = wgboost.report(python, X, rows["price"].to_numpy(), tmp_path / "python.html")
    assert scores["metrics"] == numbers
    loaded = wgboost.load(tmp_path / "m.wgb")
    assert_array_equal(loaded.predict(X), python.predict(X))
