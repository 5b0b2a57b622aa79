"""The table of metrics in docs/metrics.md, from the registry.

python tests/support/metric_tables.py    # write it
"""

from pages import ROOT
from wgboost.metrics.registry import metric_table

PAGE = ROOT / "docs/metrics.md"


def table_in_page():
    """Return the lines of the page before the table, the table, and the lines after it."""
    before, rest = PAGE.read_text().split("| metric | y |", 1)
    table, after = rest.split("\n\n", 1)
    return before, f"| metric | y |{table}\n", f"\n{after}"


if __name__ == "__main__":
    before, _, after = table_in_page()
    PAGE.write_text(before + metric_table() + after)
