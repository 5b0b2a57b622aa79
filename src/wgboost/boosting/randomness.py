"""Random numbers that depend on the seed and the round alone."""

from __future__ import annotations

import numpy as np

__all__ = ["RoundRandomness"]


class RoundRandomness:
    """A generator with a separate stream for each round, which depends on (seed, r) alone.

    The seed is the key of Philox, and the round is part of its counter: setting the counter takes a
    tenth of the time of making a generator.
    """

    def __init__(self, seed: int) -> None:
        self._bits = np.random.Philox(key=seed)
        self._state = self._bits.state
        self._generator = np.random.Generator(self._bits)

    def at(self, r: int) -> np.random.Generator:
        """Return the generator at the beginning of round r."""
        self._state["state"]["counter"][:] = 0, 0, 0, r
        self._bits.state = self._state
        return self._generator
