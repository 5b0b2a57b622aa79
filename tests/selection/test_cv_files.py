"""A bag in one file: it comes back to the bit, and no damage gets in with it."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.model_selection import KFold

from file_parts import loaded, made, parts
from wgboost import ModelFileError, Normal, WGBClassifierCV, WGBRegressor, WGBRegressorCV, load

RNG = np.random.default_rng(7)
X = RNG.normal(size=(60, 3))
Y = np.sin(2 * X[:, 0]) + 0.2 * RNG.normal(size=60)
NEW = np.random.default_rng(9).normal(size=(40, 3))
SMALL = {
    "cv": 2, "n_estimators": 4, "n_iter_no_change": 3, "n_particles": 3, "random_state": 0,
    "n_jobs": 1,
}  # fmt: skip
START = {"init": np.eye(3, 2)}


@pytest.fixture(scope="module")
def bag():
    return WGBRegressorCV({"a": START, "b": {**START, "max_depth": 2}}, **SMALL).fit(X, Y)


@pytest.fixture(scope="module")
def good(bag, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "bag"
    bag.save(path)
    return path.read_bytes()


def test_a_bag_comes_back_to_the_bit(bag, good, tmp_path):
    again = loaded(good, tmp_path)
    assert type(again) is WGBRegressorCV
    assert_array_equal(again.predict_dist(NEW).theta(), bag.predict_dist(NEW).theta())
    assert_array_equal(again.ood_pvalue(NEW), bag.ood_pvalue(NEW))
    assert (again.calibration_, again.best_recipe_) == (bag.calibration_, bag.best_recipe_)
    assert (again.best_value_, again.n_features_in_) == (bag.best_value_, 3)
    for name, column in bag.cv_results_.items():
        assert_array_equal(again.cv_results_[name], column)
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == good


def test_members_of_a_loaded_bag_are_models(good, bag, tmp_path):
    again = loaded(good, tmp_path)
    for one, before in zip(again.members_, bag.members_, strict=True):
        assert type(one) is WGBRegressor
        assert_array_equal(one.predict(NEW), before.predict(NEW))
        assert_array_equal(one.validation_rows_, before.validation_rows_)
        one.save(tmp_path / "member")
        assert_array_equal(load(tmp_path / "member").predict(NEW), one.predict(NEW))
    again.fit(X, Y)
    assert_array_equal(again.predict(NEW), bag.predict(NEW))


def test_classes_and_names_of_columns_come_back(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["u", "v", "w"])
    frame["kind"] = pandas.Categorical(np.where(X[:, 1] > 0, "yes", "no"))
    labels = np.where(Y > 0, "up", "down")
    fitted = WGBClassifierCV([{}], **SMALL).fit(frame, labels)
    fitted.save(tmp_path / "classes")
    again = load(tmp_path / "classes")
    assert_array_equal(again.predict_proba(frame), fitted.predict_proba(frame))
    assert again.feature_names_in_.tolist() == ["u", "v", "w", "kind"]
    assert again.classes_.tolist() == ["down", "up"]


def test_what_a_file_cannot_hold(tmp_path):
    from sklearn.linear_model import LinearRegression

    fitted = WGBRegressorCV([{"init": LinearRegression()}], **SMALL).fit(X, Y)
    with pytest.raises(TypeError, match=r"init is foreign \(LinearRegression\)"):
        fitted.save(tmp_path / "no")
    by_splitter = WGBRegressorCV([START], **{**SMALL, "cv": KFold(2)}).fit(X, Y)
    by_splitter.save(tmp_path / "yes")
    again = load(tmp_path / "yes")
    assert_array_equal(again.predict(NEW), by_splitter.predict(NEW))
    with pytest.raises(TypeError, match="cv=Unsaved"):
        again.fit(X, Y)


class Own(Normal):
    """A response of one's own."""


def test_a_response_of_ones_own_is_asked_for(tmp_path):
    fitted = WGBRegressorCV([START], response=Own(prior_scale=3.0), **SMALL).fit(X, Y)
    fitted.save(tmp_path / "own")
    with pytest.raises(TypeError, match=r"load\(path, response=...\)"):
        load(tmp_path / "own")
    again = load(tmp_path / "own", response=Own)
    assert_array_equal(again.predict(NEW), fitted.predict(NEW))
    assert type(again.members_[1].response_) is Own


def test_cuts_and_flipped_bits_are_refused(good, tmp_path):
    for length in range(0, len(good), 1499):
        with pytest.raises(ModelFileError):
            loaded(good[:length], tmp_path)
    for place in range(0, len(good), 211):
        changed = bytearray(good)
        changed[place] ^= 1 << (place % 8)
        with pytest.raises(ModelFileError):
            loaded(bytes(changed), tmp_path)


def no_members(model):
    del model["members"]


def one_member_twice(model):
    model["members"][1] = copy.deepcopy(model["members"][0])


def a_member_less(model):
    model["members"].pop()


def a_bag_in_the_bag(model):
    model["members"][0]["class"] = "WGBRegressorCV"


def a_classifier_in_the_bag(model):
    model["members"][0]["class"] = "WGBClassifier"


def members_of_a_single_model(model):
    model["class"] = "WGBRegressor"


def other_units(model):
    model["members"][1]["fitted"]["units_"]["fields"]["shift"] += 1.0


def an_unknown_attribute(model):
    model["fitted"]["surprise_"] = 1


def an_attribute_of_members(model):
    model["fitted"]["n_estimators_"] = 1


def no_results(model):
    del model["fitted"]["cv_results_"]


def a_column_less(model):
    tensors = model["fitted"]["cv_results_"]["items"]
    tensors[1][1] = [0, 1, 1]


def a_calibration_of_zero(model):
    model["fitted"]["calibration_"]["fields"]["scale"] = 0.0


def rounds_that_do_not_count_up(model):
    model["members"][1]["fitted"]["n_estimators_"] += 1


def a_negative_budget(model):
    model["parameters"]["time_budget"] = -1.0


@pytest.mark.parametrize(
    "damage",
    [
        no_members, one_member_twice, a_member_less, a_bag_in_the_bag, a_classifier_in_the_bag,
        members_of_a_single_model, other_units, an_unknown_attribute, an_attribute_of_members,
        no_results, a_column_less, a_calibration_of_zero, rounds_that_do_not_count_up,
        a_negative_budget,
    ],
)  # fmt: skip
def test_a_file_with_a_good_checksum_and_a_bad_bag_is_refused(good, tmp_path, damage):
    header, model, body = parts(good)
    damage(model)
    with pytest.raises(ModelFileError, match="damaged"):
        loaded(made(header, model, body), tmp_path)


def test_trees_of_a_member_are_checked(good, tmp_path):
    header, model, body = parts(good)
    entry = header["members.1.fitted.ensemble_.feature"]
    begin, end = entry["data_offsets"]
    wrong = body[:begin] + b"\x7f" * (end - begin) + body[end:]
    with pytest.raises(ModelFileError, match="damaged"):
        loaded(made(header, model, wrong), tmp_path)
