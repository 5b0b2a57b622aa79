"""Model files: safetensors with a JSON header, without code."""

from wgboost.persistence.errors import ModelFileError

__all__ = ["ModelFileError"]
