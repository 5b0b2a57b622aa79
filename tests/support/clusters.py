"""A Dask cluster of two processes on this machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dask
from dask.distributed import Client, LocalCluster


@contextmanager
def two_processes(**config: Any) -> Iterator[Client]:
    """Yield a client of a new cluster, with settings of Dask by name."""
    with (
        dask.config.set(config),
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        Client(cluster) as client,
    ):  # fmt: skip
        yield client
