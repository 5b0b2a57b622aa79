"""The error of loading a model file."""

__all__ = ["ModelFileError"]


class ModelFileError(ValueError):
    """Signal that a file is not a model that this version can read.

    It may be damaged, truncated, not a model file, or of another format.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from wgboost import ModelFileError, load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "notes.txt"
    ...     _ = path.write_text("not a model")
    ...     try:
    ...         load(path)
    ...     except ModelFileError:
    ...         print("not a model file")
    not a model file
    """
