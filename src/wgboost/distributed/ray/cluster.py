"""Workers of Ray Train: how they start and end."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import Any

from wgboost.distributed.cluster import Cluster, Shards
from wgboost.distributed.ray.library import import_ray
from wgboost.distributed.ray.run import RayRun, ReportActor, ray_task
from wgboost.distributed.worker import WorkerConfig

__all__ = ["RayCluster"]

_LOG = logging.getLogger("wgboost.ray")


@dataclass(frozen=True, eq=False)
class RayCluster(Cluster):
    """The workers of Ray Train that a fit runs on.

    Attributes
    ----------
    scaling : ray.train.ScalingConfig
        How many workers there are, and what each has.
    max_retries : int
        How often a fit continues after workers were lost.
    checkpoint_every : int
        The number of rounds between two reports.
    """

    scaling: Any
    max_retries: int
    checkpoint_every: int

    def workers(self) -> dict[str, int]:
        """Return the number of threads of each worker.

        Raises
        ------
        ConnectionError
            If Ray is not running any more.
        """
        if not import_ray().is_initialized():
            raise ConnectionError(
                "Ray is not running any more, and the data are lost with it; ray.init() and fit "
                "again, with resume_from if there is a Checkpoint"
            )
        cpus = int((self.scaling.resources_per_worker or {}).get("CPU", 1))
        return {f"{rank:09d}": max(1, cpus) for rank in range(self.scaling.num_workers)}

    def wait(self, n_workers: int) -> None:
        """Do nothing: Ray Train waits for free CPUs by itself."""

    @contextmanager
    def start(self, config: WorkerConfig, make_shards: Callable[[], Shards]) -> Iterator[RayRun]:
        """Run Ray Train with a worker for every shard, and end it with the context."""
        ray = import_ray()
        shards = [shard for _, shard in sorted(make_shards().items())]
        # On the machine of the client: a fit that loses it is lost anyway.
        here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            ray.get_runtime_context().get_node_id(), soft=False
        )
        actor = ray.remote(num_cpus=0, scheduling_strategy=here)(ReportActor).remote()
        loop_config = {
            "actor": actor, "config": ray.put(config),
            "shards": [ray.put(shard) for shard, _ in shards],
            "partitions": [parts for _, parts in shards],
        }  # fmt: skip
        with tempfile.TemporaryDirectory(prefix="wgboost-", ignore_cleanup_errors=True) as folder:

            def make_trainer() -> Any:
                return ray.train.xgboost.XGBoostTrainer(
                    ray_task, train_loop_config=loop_config,
                    scaling_config=replace(self.scaling, num_workers=len(shards)),
                    run_config=ray.train.RunConfig(
                        storage_path=folder, failure_config=_no_retries(ray.train.FailureConfig)
                    ),
                )  # fmt: skip

            self._warn_few_cpus(len(shards))
            run = RayRun(make_trainer, actor)
            try:
                yield run
            finally:
                run.stop()

    def _warn_few_cpus(self, n_workers: int) -> None:
        """Log a warning if the cluster has too few CPUs: Ray Train waits for more."""
        each = next(iter(self.workers().values()))
        available = import_ray().cluster_resources().get("CPU", 0)
        if n_workers * each > available:
            _LOG.warning(
                "%d workers of %d CPUs are asked for, the cluster has %g: waiting for more",
                n_workers, each, available,
            )  # fmt: skip


def _no_retries(config: Any) -> Any:
    """Return a configuration of failures in which Ray Train starts no worker again.

    The client does: it has the rounds so far, and counts the attempts.
    """
    limits = ("max_failures", "controller_failure_limit", "max_preemption_failures")
    known = {one.name for one in fields(config)}
    return config(**{name: 0 for name in limits if name in known})
