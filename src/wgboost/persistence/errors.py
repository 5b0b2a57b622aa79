"""What loading raises."""

__all__ = ["ModelFileError"]


class ModelFileError(ValueError):
    """The file is not a model that this version can read: damaged, cut off, foreign or newer."""
