"""Fits to tables that are spread over workers: what is the same on any cluster.

The client holds y and decides; workers hold X and add the usual rounds, in step through XGBoost's
collective. `wgboost.dask` and `wgboost.ray` say how partitions are kept and workers are reached.
"""

from wgboost.cluster.fitting import Distributed, defaulting
from wgboost.cluster.parts import PartedMatrix, Parts, first_row
from wgboost.cluster.running import Cluster, LostWorkerError, Running, Shares
from wgboost.cluster.work import Job, Share, Told, work

__all__ = [
    "Cluster", "Distributed", "Job", "LostWorkerError", "PartedMatrix", "Parts",
    "Running", "Share", "Shares", "Told", "defaulting", "first_row", "work",
]  # fmt: skip
