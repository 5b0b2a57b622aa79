"""Errors are one line on stderr with an exit code and a remedy, and no file is lost."""

import json
import os
import re
import warnings

import numpy as np
import polars as pl
import pytest

import wgboost.cli.fit
from cli_files import FAST, call, error_of, facts, houses

TABLE = houses(80)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("cli")
    TABLE.write_csv(place / "houses.csv")
    call("fit", place / "houses.csv", "--target", "price", "--ignore", "id,kind",
         "--out", place / "m.wgb", *FAST)  # fmt: skip
    return place


def fit(folder, *more):
    return ["fit", folder / "houses.csv", "--target", "price", "--ignore", "id,kind",
            "--out", folder / "other.wgb", *FAST, *more]  # fmt: skip


MISTAKES = [
    (["--target", "pirce"], "--target pirce: .* has no column 'pirce'; did you mean 'price'"),
    (["--targt", "price"], r"no option '--targt'; did you mean '--target'\? \(see wgboost fit --h"),
    (["--response", "gama"], "did you mean 'gamma'"),
    (["--response", "gaussian"], "did you mean 'normal'"),
    (["--task", "classify"], "--task='classify' must be one of 'regression', 'classification'"),
    (["--ignore", "cty"], "--ignore cty: .*did you mean 'city'"),
    (["--categorical", "room"], "--categorical room: .*did you mean 'rooms'"),
    (["--increasing", "aera"], "--increasing aera: .*did you mean 'area'"),
    (["--increasing", "price"], "--increasing price: this column is not a feature"),
    (["--increasing", "area", "--decreasing", "area"], "both name 'area'"),
    (["--weight", "Area"], "has no column 'Area'; did you mean 'area'"),
    (["--weight", "city"], "'city': .* are not numbers, such as"),
    (["--features", "area,roms"], "--features roms: .*did you mean 'rooms'"),
    (["--option", "kernl=scaled"], "there is no 'kernl'; did you mean 'kernel'"),
    (["--option", "kernel"], "'kernel' must be name=value"),
    (["--option", "l2=3"], "write --l2 3"),
    (["--option", "random_state=3"], "use --seed instead"),
    (["--option", "learner=x"], "learner can be set from Python only"),
    (["--option", "prior={"], "is not JSON"),
    (["--learning-rate", "-1"], "--learning-rate=-1 must be > 0"),
    (["--n-estimators", "many"], "--n-estimators='many' must be an integer"),
    (["--validation", "1.5"], "--validation=1.5 must be > 0 and <= 0.99"),
    (["--validation", "x"], "Invalid value for '--validation'"),
    (["--validation", "0.2", "--validation-data", "x.csv"], "not both"),
    (["--task", "classification"], "'price' has numbers such as .* not classes"),
    (["--target", "city", "--task", "regression"], "--task regression: column 'city' is text"),
    (["--target", "id"], "80 different texts in 80 rows, such as 'H0000', are not classes"),
    (["--lower", "area"], "give --lower and --upper, or --target"),
    (["--event", "city"], "--event city: .* is neither true nor false"),
    (["--event", "price"], "cannot have two roles"),
    (["--order", "a,b"], "--order is for classes"),
    (["--decimal", "x"], "--decimal 'x' must be"),
    (["--delimiter", "ab"], "--delimiter 'ab' must be one character"),
    (["--encoding", "klingon"], "--encoding 'klingon' is not known"),
    (["--thousands", "."], "is also the decimal mark"),
    (["--resume", "nothere.wgb"], "cannot read 'nothere.wgb'"),
]


@pytest.mark.parametrize(("more", "message"), MISTAKES)
def test_errors_have_a_remedy(folder, more, message):
    arguments = fit(folder, *more)
    if more[0] == "--target":  # in place of the price
        del arguments[2:4]
    error = error_of(*arguments)
    assert re.search(message, error), error
    assert not (folder / "other.wgb").exists()


def test_commands_and_their_arguments(folder):
    assert error_of("ft") == "no command 'ft'; did you mean 'fit'?"
    assert error_of("xyz").startswith("no command 'xyz'; the commands are fit, predict, ")
    assert error_of("fit").startswith("Missing argument 'DATA'")
    assert "--out" in error_of("fit", folder / "houses.csv")
    error = error_of("fit", folder / "houses.csv", "--out", folder / "other.wgb")
    assert error == "give what to predict: --target COLUMN, or --lower and --upper"
    assert "did you mean" in error_of("predict", folder / "m.wgb", folder / "house.csv")
    assert "only one" in error_of("predict", "-", "-")


def test_new_rows_that_do_not_match_the_model(folder, tmp_path):
    def predicted(frame, *more):
        frame.write_csv(tmp_path / "new.csv")
        return error_of("predict", folder / "m.wgb", tmp_path / "new.csv", *more)

    error = predicted(TABLE.rename({"area": "aera"}))
    assert "the model needs area: " in error
    assert "did you mean 'aera'" in error
    error = predicted(TABLE.with_columns(area=pl.lit("large")))
    assert "80 of 80 values are not numbers, such as 'large'" in error
    error = predicted(TABLE.rename({"id": "mean"}), "--keep", "mean")
    assert "has a column 'mean', too; rename predictions: --prefix" in error
    assert "between 0 and 1" in predicted(TABLE, "--quantiles", "0.5,1.5")
    assert "has a number twice" in predicted(TABLE, "--quantiles", "0.5,0.50")
    TABLE.drop("price").write_csv(tmp_path / "new.csv")
    error = error_of("evaluate", folder / "m.wgb", tmp_path / "new.csv")
    assert error.startswith("--target price: ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_locked_folder_raises_before_the_fit(folder, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    command = ["fit", folder / "houses.csv", "--target", "price", *FAST, "--out", locked / "m.wgb"]
    assert "is not writable" in error_of(*command)


def test_files_of_another_kind_are_not_overwritten(folder, tmp_path):
    data, model = folder / "houses.csv", folder / "m.wgb"
    notes = tmp_path / "notes.wgb"
    notes.write_text("my thesis")
    base = ["fit", data, "--target", "price", "--features", "area", *FAST, "--out"]
    assert "is a text file, not a model file; --force" in error_of(*base, notes)
    assert notes.read_text() == "my thesis"
    call(*base, notes, "--force")
    call(*base, notes)  # a model file may be overwritten by another
    error = error_of("predict", model, data, "--out", data)
    assert error == f"--out {data} is an input file; name another one"
    assert "is an input file" in error_of("predict", model, data, "--out", data, "--force")
    copy = tmp_path / "copy.parquet"
    copy.write_bytes(model.read_bytes())
    assert "is a model file" in error_of("predict", model, data, "--out", copy)
    assert "must end with .csv" in error_of("predict", model, data, "--out", tmp_path / "out.xlsx")
    error = error_of("evaluate", model, data, "--report", folder / "m.wgb")
    assert "is an input file" in error
    assert "is a folder" in error_of(*base, tmp_path)
    assert "no folder" in error_of(*base, tmp_path / "no" / "m.wgb")
    assert "is a file; name a folder" in error_of("plot", model, data, "--out", notes)
    (tmp_path / "empty.csv").touch()
    call("predict", model, data, "--out", tmp_path / "empty.csv")
    assert call("info", model).stdout  # it is unchanged


def test_debug_shows_the_traceback(folder, monkeypatch):
    done = call(*fit(folder, "--weight", "nope", "--debug"), code=2)
    assert "Traceback" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("wgboost: error: --weight nope")

    def broken(*_, **__):
        raise RuntimeError("the roof\nis on fire")

    monkeypatch.setattr("wgboost.cli.fit.save_model", broken)
    error = error_of(*fit(folder), code=1)
    assert error == "RuntimeError: the roof is on fire; --debug shows where"


def test_stdout_is_only_json(folder):
    result = facts(*fit(folder, "--response", "auto"))
    assert result["response"] in result["notes"][-1]
    assert [note for note in result["notes"] if "rows without 'price'" in note]
    quiet = call(*fit(folder, "--quiet"))
    assert quiet.stderr == ""
    assert set(json.loads(call("info", folder / "m.wgb", "--json").stdout)) >= {"rounds", "classes"}
    target = ["--target", "price", "--ignore", "id"]
    error = error_of("fit", folder / "houses.csv", *target, "--out", "-", "--json")
    assert "both write to stdout" in error


def test_infinite_numbers_are_null_in_json(tmp_path):
    rng = np.random.default_rng(0)
    pl.DataFrame({"x": rng.normal(size=40), "y": rng.normal(size=40)}).write_csv(tmp_path / "t.csv")
    call("fit", tmp_path / "t.csv", "--target", "y", "--response", "cauchy",
         "--out", tmp_path / "m.wgb", *FAST)  # fmt: skip
    result = facts("evaluate", tmp_path / "m.wgb", tmp_path / "t.csv")
    assert result["metrics"]["RMSE"] is None
    row = facts("predict", tmp_path / "m.wgb", tmp_path / "t.csv")["predictions"][0]
    assert [*row] == ["median", "q0.05", "q0.5", "q0.95", "ood_score", "ood_pvalue"]


def test_remedies_for_evidence_auto_are_flags(tmp_path):
    houses().drop("id", "kind").write_csv(tmp_path / "t.csv")
    fit = ("fit", tmp_path / "t.csv", "--target", "price", "--out", tmp_path / "m.wgb")
    error = error_of(*fit, "--evidence", "auto", "--n-estimators", "9")
    assert "set --validation 0.2, or give --validation-data FILE, or a number" in error


def test_deprecation_warnings_are_not_notes(folder, monkeypatch):
    save = wgboost.cli.fit.save_model

    def warns(*given, **named):
        warnings.warn("this name will be removed", DeprecationWarning, stacklevel=1)
        warnings.warn("this will work another way", PendingDeprecationWarning, stacklevel=1)
        warnings.warn("the disk is nearly full", UserWarning, stacklevel=1)
        return save(*given, **named)

    monkeypatch.setattr("wgboost.cli.fit.save_model", warns)
    stderr = call(*fit(folder)).stderr
    assert "note: the disk is nearly full" in stderr
    assert "will be removed" not in stderr
    assert "another way" not in stderr
