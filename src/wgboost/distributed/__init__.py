"""Fits to tables that are spread over workers: what is the same on any cluster.

The client holds y and decides; workers hold X and add the usual rounds, in step through XGBoost's
collective. `wgboost.dask` and `wgboost.ray` say how partitions are kept and workers are reached.
"""

from wgboost.distributed.fitting import FIT_PARAMS, ClusterFit, check_cluster_parameters
from wgboost.distributed.partitions import PartedMatrix, Parts, first_row
from wgboost.distributed.stage import Cluster, LostWorkerError, RaisedError, Running, Shares
from wgboost.distributed.worker import Job, Share, Told, is_loss, work

__all__ = [
    "FIT_PARAMS", "Cluster", "ClusterFit", "Job", "LostWorkerError", "PartedMatrix", "Parts",
    "RaisedError", "Running", "Share", "Shares", "Told", "check_cluster_parameters", "first_row",
    "is_loss", "work",
]  # fmt: skip
