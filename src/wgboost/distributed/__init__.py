"""Fits to tables that are spread over the workers of a cluster.

The client holds y and makes all decisions. Workers hold X and add the boosting rounds together,
through XGBoost's collective. This package has what is the same on every cluster; its subpackages
`dask` and `ray` keep the partitions and reach the workers. The public estimators are in
`wgboost.dask` and `wgboost.ray`.

To support another cluster, implement `partitions.Partitions`, `cluster.Cluster` and
`cluster.ClusterRun`, and a `fitting.DistributedFit` that makes them.
"""

__all__: list[str] = []
