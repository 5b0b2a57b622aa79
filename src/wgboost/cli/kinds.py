"""Parse the text of a CSV column as numbers, booleans, dates or text."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from wgboost.cli.screen import CommandError, quoted

__all__ = ["MISSING", "NumberFormat", "parse_column"]

MISSING = ("", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "Null", "null", "None", "<NA>")
_TRUTH = ("true", "false")
_MOSTLY = 0.9  # with this share of numbers the other values are mistakes or missing values
_WHOLE = r"^[+-]?\d{1,18}$"
_COMMAS = r"^[+-]?\d[\d.,]*$"
_DATES = (
    r"^\d{4}-\d{1,2}-\d{1,2}([T ]\d{1,2}:\d{2}.*)?$",
    r"^\d{1,2}[./]\d{1,2}[./](\d{4}|\d{2})( \d{1,2}:\d{2}.*)?$",
)
_ORDERS = ("%Y-%m-%d", "%d.%m.%Y", "%d.%m.%y", "%d/%m/%Y", "%m/%d/%Y", "%d/%m/%y", "%m/%d/%y")
_HOURS = ("", " %H:%M", " %H:%M:%S%.f")


@dataclass(frozen=True)
class NumberFormat:
    """How numbers and missing values are written; a mark of None is the default."""

    decimal_mark: str | None = None
    thousands: str | None = None
    missing: tuple[str, ...] = MISSING

    @property
    def decimal(self) -> str:
        """The decimal mark."""
        return self.decimal_mark or "."

    def plain(self, text: pl.Series) -> pl.Series:
        """Return numbers with a decimal point and without thousands separators."""
        if self.thousands is not None:
            text = text.str.replace_all(self.thousands, "", literal=True)
        if self.decimal != ".":
            text = text.str.replace(self.decimal, ".", literal=True)
        return text


def parse_column(
    series: pl.Series, kind: str, number_format: NumberFormat, *, category: bool = False
) -> pl.Series:
    """Return a column of text as "numbers", "dates" or "text", or as inferred for "any".

    A "target" is like "any" with error messages of its own; "classes" may be any text. Booleans
    count as numbers. It raises CommandError if "numbers" or "dates" cannot be parsed, and for a
    column of "any" kind with nearly only numbers, unless it is a `category`.
    """
    missing = series.is_null() | series.is_in(list(number_format.missing))
    text = pl.select(pl.when(~missing).then(series)).to_series().alias(series.name)
    present = text.drop_nulls()
    if kind == "text" or present.is_empty():
        return text
    if kind == "dates":
        return _as_dates(text)
    if present.str.to_lowercase().is_in(list(_TRUTH)).all():
        return text.str.to_lowercase() == "true"
    plain = number_format.plain(text)
    numbers = plain.cast(pl.Float64, strict=False)
    wrong = numbers.is_null() & ~missing
    if not wrong.any():
        whole = plain.drop_nulls().str.contains(_WHOLE).all()
        return plain.cast(pl.Int64) if whole else numbers
    share = 1 - wrong.sum() / len(present)
    if kind == "numbers":
        raise CommandError(_not_numbers(text, wrong, "the model needs numbers", number_format))
    if category or kind == "classes":
        return text
    if share >= _MOSTLY:
        remedy = (
            "if they are classes: --task classification"
            if kind == "target"
            else f"if it is a category: --categorical {series.name}"
        )
        raise CommandError(_not_numbers(text, wrong, remedy, number_format))
    numeric = present.filter(present.str.contains(_COMMAS))
    commas = numeric.filter(numeric.str.contains(",", literal=True))
    mostly_numeric = len(numeric) >= _MOSTLY * len(present)
    if mostly_numeric and len(commas) and number_format.decimal_mark is None:
        raise CommandError(
            f"column {series.name!r} has numbers with commas, such as {quoted(commas[0])}: "
            "give --decimal , or --thousands , (or --decimal . if it is text)"
        )
    if any(present.str.contains(pattern).all() for pattern in _DATES):
        if kind == "target":
            raise CommandError(
                f"column {series.name!r} has dates, such as {quoted(present[0])}; give numbers, "
                "such as days since a date"
            )
        return _as_dates(text)
    return text


def _as_dates(text: pl.Series) -> pl.Series:
    """Return a column of text as dates with times; raise CommandError if they are ambiguous."""
    present = text.drop_nulls()
    plain = text.str.replace(r"^(\S+)T", "${1} ").str.strip_suffix("Z")
    year = "%Y" if present.str.contains(r"\d{4}").all() else "%y"
    found: dict[str, pl.Series] = {}
    for order in (one for one in _ORDERS if year in one):
        for hours in _HOURS:
            dates = plain.str.to_datetime(order + hours, strict=False, time_unit="us")
            if dates.null_count() == text.null_count():
                found.setdefault(order, dates)
    if not found:
        raise CommandError(
            f"column {text.name!r} has values that are not dates, or dates of several kinds, such "
            f"as {quoted(present[0])}; write 2024-12-31 or 2024-12-31 23:59, or --ignore "
            f"{text.name}"
        )
    if len(found) > 1:
        raise CommandError(
            f"column {text.name!r} has dates with an ambiguous order of day and month, such as "
            f"{quoted(present[0])}; write them as 2024-12-31, or --ignore {text.name}"
        )
    return next(iter(found.values()))


def _not_numbers(
    text: pl.Series, wrong: pl.Series, remedy: str, number_format: NumberFormat
) -> str:
    """Return the message for values that are not numbers."""
    value, count = text.filter(wrong)[0], int(wrong.sum())
    if "," in value and number_format.decimal_mark is None and number_format.thousands is None:
        remedy += "; --decimal , or --thousands , if numbers have commas"
    return (
        f"column {text.name!r}: {count} of {len(text)} values are not numbers, such as "
        f"{quoted(value)}; --missing {quoted(value)} makes them missing values; {remedy}"
    )
