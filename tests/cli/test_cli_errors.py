"""What goes wrong: one line on stderr, an exit code, the nearest name, and no lost files."""

import json
import os
import re
import warnings

import numpy as np
import polars as pl
import pytest

import wgboost.cli.fit
from cli_files import FAST, call, facts, houses, refusal

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
    (["--increasing", "price"], "--increasing price: this column is no feature"),
    (["--increasing", "area", "--decreasing", "area"], "both name 'area'"),
    (["--weight", "Area"], "has no column 'Area'; did you mean 'area'"),
    (["--weight", "city"], "'city': .* are no numbers, such as"),
    (["--features", "area,roms"], "--features roms: .*did you mean 'rooms'"),
    (["--option", "kernl=scaled"], "there is no 'kernl'; did you mean 'kernel'"),
    (["--option", "kernel"], "'kernel' must be name=value"),
    (["--option", "l2=3"], "write --l2 3"),
    (["--option", "random_state=3"], "--seed is for that"),
    (["--option", "learner=x"], "learner can be set from Python only"),
    (["--option", "prior={"], "is not JSON"),
    (["--learning-rate", "-1"], "--learning-rate=-1 must be > 0"),
    (["--n-estimators", "many"], "--n-estimators='many' must be an integer"),
    (["--validation", "1.5"], "--validation=1.5 must be > 0 and <= 0.99"),
    (["--validation", "x"], "Invalid value for '--validation'"),
    (["--validation", "0.2", "--validation-data", "x.csv"], "not both"),
    (["--task", "classification"], "'price' has numbers such as .* no classes"),
    (["--target", "city", "--task", "regression"], "--task regression: column 'city' is text"),
    (["--target", "id"], "80 different texts in 80 rows, such as 'H0000', are no classes"),
    (["--lower", "area"], "--lower and --upper take the place of --target"),
    (["--event", "city"], "--event city: .* is neither true nor false"),
    (["--event", "price"], "cannot have two roles"),
    (["--order", "a,b"], "--order is for classes"),
    (["--decimal", "x"], "--decimal 'x' must be"),
    (["--delimiter", "ab"], "--delimiter 'ab' must be one character"),
    (["--encoding", "klingon"], "--encoding 'klingon' is not known"),
    (["--thousands", "."], "is the decimal mark, too"),
    (["--resume", "nothere.wgb"], "cannot read 'nothere.wgb'"),
]


@pytest.mark.parametrize(("more", "message"), MISTAKES)
def test_a_mistake_is_answered_with_what_to_do(folder, more, message):
    arguments = fit(folder, *more)
    if more[0] == "--target":  # in place of the price
        del arguments[2:4]
    told = refusal(*arguments)
    assert re.search(message, told), told
    assert not (folder / "other.wgb").exists()


def test_commands_and_their_arguments(folder):
    assert refusal("ft") == "no command 'ft'; did you mean 'fit'?"
    assert refusal("xyz").startswith("no command 'xyz'; there is fit, predict, ")
    assert refusal("fit").startswith("Missing argument 'DATA'")
    assert "--out" in refusal("fit", folder / "houses.csv")
    told = refusal("fit", folder / "houses.csv", "--out", folder / "other.wgb")
    assert told == "say what to predict: --target COLUMN, or --lower and --upper"
    assert "did you mean" in refusal("predict", folder / "m.wgb", folder / "house.csv")
    assert "only one" in refusal("predict", "-", "-")


def test_new_rows_that_do_not_fit(folder, tmp_path):
    def predicted(frame, *more):
        frame.write_csv(tmp_path / "new.csv")
        return refusal("predict", folder / "m.wgb", tmp_path / "new.csv", *more)

    told = predicted(TABLE.rename({"area": "aera"}))
    assert "the model needs area: " in told
    assert "did you mean 'aera'" in told
    told = predicted(TABLE.with_columns(area=pl.lit("large")))
    assert "80 of 80 values are no numbers, such as 'large'" in told
    assert "'mean', too; --prefix" in predicted(TABLE.rename({"id": "mean"}), "--keep", "mean")
    assert "between 0 and 1" in predicted(TABLE, "--quantiles", "0.5,1.5")
    assert "names one twice" in predicted(TABLE, "--quantiles", "0.5,0.50")
    TABLE.drop("price").write_csv(tmp_path / "new.csv")
    told = refusal("evaluate", folder / "m.wgb", tmp_path / "new.csv")
    assert told.startswith("--target price: ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_locked_folder_is_noticed_before_the_work(folder, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    command = ["fit", folder / "houses.csv", "--target", "price", *FAST, "--out", locked / "m.wgb"]
    assert "may not be written to" in refusal(*command)


def test_a_file_of_another_kind_is_not_written_over(folder, tmp_path):
    data, model = folder / "houses.csv", folder / "m.wgb"
    notes = tmp_path / "notes.wgb"
    notes.write_text("my thesis")
    base = ["fit", data, "--target", "price", "--features", "area", *FAST, "--out"]
    assert "is a text file already, not a model file; --force" in refusal(*base, notes)
    assert notes.read_text() == "my thesis"
    call(*base, notes, "--force")
    call(*base, notes)  # a model may take the place of a model
    told = refusal("predict", model, data, "--out", data)
    assert told == f"--out {data} is the file that is read; name another one"
    assert "is the file that is read" in refusal("predict", model, data, "--out", data, "--force")
    copy = tmp_path / "copy.parquet"
    copy.write_bytes(model.read_bytes())
    assert "is a model file already" in refusal("predict", model, data, "--out", copy)
    assert "must end with .csv" in refusal("predict", model, data, "--out", tmp_path / "out.xlsx")
    told = refusal("evaluate", model, data, "--report", folder / "m.wgb")
    assert "is the file that is read" in told
    assert "is a folder" in refusal(*base, tmp_path)
    assert "there is no folder" in refusal(*base, tmp_path / "no" / "m.wgb")
    assert "is a file; name a folder" in refusal("plot", model, data, "--out", notes)
    (tmp_path / "empty.csv").touch()
    call("predict", model, data, "--out", tmp_path / "empty.csv")
    assert call("info", model).stdout  # nothing happened to it


def test_debug_shows_where_and_other_failures_say_so(folder, monkeypatch):
    done = call(*fit(folder, "--weight", "nope", "--debug"), code=2)
    assert "Traceback" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("wgboost: error: --weight nope")

    def broken(*_, **__):
        raise RuntimeError("the roof\nis on fire")

    monkeypatch.setattr("wgboost.cli.fit.save_model", broken)
    told = refusal(*fit(folder), code=1)
    assert told == "RuntimeError: the roof is on fire; --debug shows where"


def test_json_is_all_that_is_on_stdout(folder):
    told = facts(*fit(folder, "--response", "auto"))
    assert told["response"] in told["notes"][-1]
    assert [note for note in told["notes"] if "rows lack 'price'" in note]
    quiet = call(*fit(folder, "--quiet"))
    assert quiet.stderr == ""
    assert set(json.loads(call("info", folder / "m.wgb", "--json").stdout)) >= {"rounds", "classes"}
    assert "need stdout" in refusal("fit", folder / "houses.csv", "--target", "price", "--ignore",
                                    "id", "--out", "-", "--json")  # fmt: skip


def test_numbers_that_are_not_finite_are_null_in_json(tmp_path):
    rng = np.random.default_rng(0)
    pl.DataFrame({"x": rng.normal(size=40), "y": rng.normal(size=40)}).write_csv(tmp_path / "t.csv")
    call("fit", tmp_path / "t.csv", "--target", "y", "--response", "cauchy",
         "--out", tmp_path / "m.wgb", *FAST)  # fmt: skip
    told = facts("evaluate", tmp_path / "m.wgb", tmp_path / "t.csv")
    assert told["metrics"]["RMSE"] is None
    row = facts("predict", tmp_path / "m.wgb", tmp_path / "t.csv")["predictions"][0]
    assert [*row] == ["median", "q0.05", "q0.5", "q0.95", "ood_score"]


def test_evidence_auto_names_flags_that_help(tmp_path):
    houses().drop("id", "kind").write_csv(tmp_path / "t.csv")
    fit = ("fit", tmp_path / "t.csv", "--target", "price", "--out", tmp_path / "m.wgb")
    told = refusal(*fit, "--evidence", "auto", "--n-estimators", "9")
    assert "set --validation 0.2, or give --validation-data FILE, or a number" in told


def test_deprecations_inside_of_packages_are_no_notes(folder, monkeypatch):
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
