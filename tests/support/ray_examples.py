"""Rows for fits on Ray, and a cluster of two workers."""

from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
import ray

import wgboost
from wgboost import TreeLearner
from wgboost.ray import WGBRegressor

RNG = np.random.default_rng(0)
NAMES = ["a", "b", "c"]
COARSE = RNG.integers(0, 12, size=(600, 3)).astype(np.float64)
Y = np.sin(COARSE[:, 0]) + np.exp(COARSE[:, 1] / 12 - 1) * RNG.normal(size=600)
WEIGHT = RNG.integers(0, 3, 600).astype(np.float64)
FRAME = pd.DataFrame(COARSE, columns=NAMES)
FEW = {
    "n_estimators": 6, "n_particles": 4, "max_leaves": 16, "random_state": 0,
    "learner": TreeLearner(engine="xgboost"), "n_jobs": 1,
}  # fmt: skip


@contextmanager
def two_workers():
    """Run Ray with room for two workers."""
    with pytest.raises(ValueError, match=r"Ray is not running: ray.init\(\) before fit"):
        WGBRegressor(**FEW).fit(None, "y")
    ray.init(
        num_cpus=2, _node_ip_address="127.0.0.1", include_dashboard=False, log_to_driver=False,
        object_store_memory=200_000_000, resources={"seat": 1},
    )  # fmt: skip
    try:
        yield
    finally:
        ray.shutdown()


def blocks(*lengths, **columns):
    """A Dataset with a block of so many rows each."""
    frame, ends = FRAME.assign(**columns), np.cumsum(lengths)
    return ray.data.from_pandas(
        [frame[end - n : end] for n, end in zip(lengths, ends, strict=True)]
    )


def alone(weight=None, **settings):
    return wgboost.WGBRegressor(**{**FEW, **settings}).fit(FRAME, Y, weight)
