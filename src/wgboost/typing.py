"""Names for the arrays that pass between layers.

Axes, used everywhere: n rows, p features, m particles, d parameters per particle, K = m * d.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Codes = NDArray[np.uint8]  # (n, p) binned features
Directions = NDArray[np.float32]  # (n, m, d) movements, curvatures, particles
RowIndices = NDArray[np.uint32]  # indices of rows, ascending

__all__ = ["Array", "Codes", "Directions", "RowIndices"]
