"""Models as files: safetensors with a header in JSON, no code in them."""

from wgboost.persistence.atomic import check_place, replacing
from wgboost.persistence.checks import check_trees
from wgboost.persistence.container import FORMAT, Contents, read_file, write_file
from wgboost.persistence.errors import ModelFileError
from wgboost.persistence.fingerprint import fingerprint
from wgboost.persistence.values import Reader, Unsaved, Writer, name_of

__all__ = [
    "FORMAT",
    "Contents",
    "ModelFileError",
    "Reader",
    "Unsaved",
    "Writer",
    "check_place",
    "check_trees",
    "fingerprint",
    "name_of",
    "read_file",
    "replacing",
    "write_file",
]
