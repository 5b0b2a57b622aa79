"""What is generated from the registries is current, and every entry is documented."""

import pytest

from regenerate import generated, missing_exports
from wgboost.directions import DIRECTIONS
from wgboost.metrics import METRICS
from wgboost.responses import RESPONSES

REMEDY = "run: make regenerate"


@pytest.mark.parametrize("page", generated(), ids=lambda page: page.name)
def test_generated_tables_and_lists_are_current(page):
    assert page.read_text() == generated()[page], REMEDY


def test_packages_export_what_the_registries_have():
    assert missing_exports() == {}, REMEDY


@pytest.mark.parametrize("kind", [*RESPONSES.values(), *DIRECTIONS.values()])
def test_every_response_and_direction_has_the_cells_of_its_row(kind):
    assert all(kind.documentation), f"{kind.__name__}.documentation has an empty cell"


def test_every_metric_has_a_description():
    assert [name for name, row in METRICS.items() if not row.description] == []


@pytest.mark.parametrize(("registry", "attribute"), [(RESPONSES, "name"), (DIRECTIONS, "name")])
def test_keys_are_names(registry, attribute):
    assert [getattr(kind, attribute) for kind in registry.values()] == [*registry]
