"""Models as files: safetensors with a header in JSON, no code in them."""

from wgboost.atomic import check_place, replacing
from wgboost.persistence.checks import check_trees
from wgboost.persistence.container import FORMAT, Contents, read_file, write_file
from wgboost.persistence.errors import ModelFileError
from wgboost.persistence.models import (
    SavedModel,
    fitted_attributes,
    fitted_model,
    read_model,
    write_model,
)
from wgboost.persistence.values import Reader, Unsaved, Writer

__all__ = [
    "FORMAT",
    "Contents",
    "ModelFileError",
    "Reader",
    "SavedModel",
    "Unsaved",
    "Writer",
    "check_place",
    "check_trees",
    "fitted_attributes",
    "fitted_model",
    "read_file",
    "read_model",
    "replacing",
    "write_file",
    "write_model",
]
