import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "wgboost",
    deadline=None,
    derandomize=True,
    max_examples=60,
    # No example database: a run leaves nothing behind and depends on no earlier one.
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("wgboost")


@pytest.fixture
def data_folder() -> Path:
    """The folder with the benchmark data, which is not part of the repository."""
    folder = os.environ.get("WGBOOST_DATA")
    if not folder:
        pytest.skip("WGBOOST_DATA is not set; it names the folder with uci/*.npz")
    return Path(folder)
