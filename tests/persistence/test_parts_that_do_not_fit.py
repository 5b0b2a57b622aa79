"""Files of golden models with one part exchanged: refused when they are loaded, not later."""

import json

import numpy as np
import pytest

from file_parts import loaded, made, parts
from golden_models import FILES
from wgboost import ModelFileError

UNITS = {"kind": "object", "class": "Units", "fields": {"shift": 0.0, "scale": 1.0}}
COLUMNS = {"kind": "object", "class": "ColumnUnits", "fields": {"shift": [0.0], "scale": [1.0]}}
NORMAL = {"kind": "object", "class": "Normal", "fields": {}}


def changed(name, place, node):
    """The file of a model with another node at a place of its description."""
    header, model, body = parts((FILES / f"{name}.wgb").read_bytes())
    *path, last = place.split(".")
    part = model
    for step in path:
        part = part[int(step)] if step.isdigit() else part[step]
    assert last in part
    part[last] = json.loads(json.dumps(node))
    return made(header, model, body)


BACKGROUND = "fitted.start_.fields.background.fields"
NODES = [None, 1.0, "x", True, [1, 2], {"kind": "tuple", "items": [0.0, 1.0]}, COLUMNS, NORMAL]


@pytest.mark.parametrize("name", ["smooth", "smooth_landmarks"])
@pytest.mark.parametrize("field", ["units", "scale", "covariance", "regression"])
@pytest.mark.parametrize("node", NODES, ids=range(len(NODES)))
def test_a_part_of_a_smooth_start_is_of_its_class(name, field, node, tmp_path):
    with pytest.raises(ModelFileError):
        loaded(changed(name, f"{BACKGROUND}.{field}", node), tmp_path)


@pytest.mark.parametrize("shift", [None, "0", 1, True, [0.0], {"kind": "float", "value": "nan"}])
def test_units_of_a_smooth_start_are_floats(shift, tmp_path):
    place = f"{BACKGROUND}.units.fields.shift"
    with pytest.raises(ModelFileError):
        loaded(changed("smooth", place, shift), tmp_path)
    assert loaded(changed("smooth", place, 0.5), tmp_path).n_estimators_ == 3


@pytest.mark.parametrize(
    ("name", "member"),
    [("labels", ""), ("categorical", ""), ("ordinal", ""), ("bag_of_classes", "members.1.")],
)
@pytest.mark.parametrize("fields", [{"shift": -1.0, "scale": 1.0}, {"shift": 0.0, "scale": 2.0}])
def test_classes_have_no_units(name, member, fields, tmp_path):
    place = f"{member}fitted.units_"
    good = loaded(changed(name, place, UNITS), tmp_path)
    assert good.response_.n_params == 2
    with pytest.raises(ModelFileError, match="classes have units"):
        loaded(changed(name, place, {**UNITS, "fields": fields}), tmp_path)


NAMES = sorted(path.stem for path in FILES.glob("*.wgb"))


@pytest.mark.parametrize("name", NAMES)
def test_infinite_particles_are_refused(name, tmp_path):
    """Each leaf value is a finite number in float32; the sum of three rounds is not."""
    header, model, body = parts((FILES / f"{name}.wgb").read_bytes())
    found = [one for one in header if one.endswith("ensemble_.values")]
    assert found
    for one in found:
        begin, end = header[one]["data_offsets"]
        values = np.frombuffer(body[begin:end], "<f4").copy()
        values[-1] = -3.3e38
        other = made(dict(header), model, body[:begin] + values.tobytes() + body[end:])
        with pytest.raises(ModelFileError, match="may add up to particles that are not finite"):
            loaded(other, tmp_path)
