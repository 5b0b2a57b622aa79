"""Five small networks trained side by side: a deep ensemble, without adversarial training.

Each has one hidden layer of rectified units and gives mean and variance of a normal y; it is
trained by the NLL with Adam in batches of about 100 rows, from its own start and in its own order
of rows. All five are one batched matrix product.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray

__all__ = ["Networks", "epochs_for", "train"]

MEMBERS = 5
BATCH = 100
LEAST_VARIANCE = 1e-6  # of standardised y


def epochs_for(n: int, steps: int = 5000) -> int:
    """40 epochs, or as many as these steps need: 40 epochs of 250 rows are but 120 steps."""
    return max(40, math.ceil(steps / math.ceil(n / BATCH)))


class Networks:
    """Weights of the five, (members, in, out) and (members, 1, out) of each layer."""

    def __init__(self, features: int, hidden: int, random: Any) -> None:
        import torch

        def layer(inside: int, outside: int) -> list[Any]:
            bound = 1 / math.sqrt(inside)
            shapes = (MEMBERS, inside, outside), (MEMBERS, 1, outside)
            return [
                (2 * bound * torch.rand(shape, generator=random) - bound).requires_grad_()
                for shape in shapes
            ]

        self.weights = [*layer(features, hidden), *layer(hidden, 2)]

    def __call__(self, X: Any) -> tuple[Any, Any]:
        """Mean and variance (members, n) at X (members, n, p)."""
        import torch

        enter, enter_bias, leave, leave_bias = self.weights
        inner = torch.relu(torch.baddbmm(enter_bias, X, enter))
        out = torch.baddbmm(leave_bias, inner, leave)
        return out[..., 0], torch.nn.functional.softplus(out[..., 1]) + LEAST_VARIANCE

    def particles(self, X: Array) -> Array:
        """Mean and log deviation of every member at X (n, p): (n, members, 2) in float64."""
        import torch

        with torch.no_grad():
            rows = torch.as_tensor(X, dtype=torch.float32).expand(MEMBERS, *X.shape)
            mean, variance = self(rows)
            both = torch.stack([mean.T, variance.T.log() / 2], dim=-1)
        found: Array = both.numpy().astype(np.float64)
        return found


def train(
    X: Array, y: Array, *, hidden: int, rate: float, epochs: int, seed: int,
    stop: Callable[[Networks], bool] | None = None,
) -> Networks:  # fmt: skip
    """Networks of standardised rows; `stop` is asked after every epoch."""
    import torch

    random = torch.Generator().manual_seed(seed)
    rows, values = (torch.as_tensor(a, dtype=torch.float32) for a in (X, y))
    networks = Networks(X.shape[1], hidden, random)
    adam = torch.optim.Adam(networks.weights, lr=rate, fused=True)
    for _ in range(epochs):
        order = torch.rand(MEMBERS, len(y), generator=random).argsort(dim=1)
        for batch in order.tensor_split(math.ceil(len(y) / BATCH), dim=1):
            mean, variance = networks(rows[batch])
            loss = ((values[batch] - mean) ** 2 / variance + variance.log()).mean(dim=1).sum()
            adam.zero_grad()
            loss.backward()
            adam.step()
        if stop is not None and stop(networks):
            break
    return networks
