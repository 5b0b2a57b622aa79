"""Training as functions over frozen data: from settings and data to a fitted model."""

__all__: list[str] = []
