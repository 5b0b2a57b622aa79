from typing import Any

from wgboost.typing import Array

def find_cuts(
    *, x: Array, weight: Array | None, max_bins: int, sample_size: int, seed: int, n_threads: int
) -> list[Array]: ...
def apply_cuts(*, x: Array, cuts: list[Array], n_bins: Array, n_threads: int) -> Array: ...
def node_ranges(
    *,
    codes: Array,
    n_bins: Array,
    weight: Array | None,
    first_node: Array,
    feature: Array,
    bin: Array,
    missing_left: Array,
    left: Array,
    n_threads: int,
) -> tuple[Array, Array]: ...
def bin_ends(
    *, x: Array, codes: Array, first_bin: Array, weight: Array | None, n_threads: int
) -> tuple[Array, Array]: ...
def nearest_distances(
    *,
    points: Array,
    rows: Array,
    categorical: Array,
    shrink: Array,
    mismatch: float,
    n_threads: int,
) -> Array: ...
def all_finite(values: Array) -> bool: ...

class Workspace: ...

def grow(
    *,
    workspace: Workspace,
    codes: Array,
    n_bins: Array,
    categorical: Array,
    features: Array,
    rows: Array | None,
    direction: Array,
    curvature: Array | None,
    weight: Array | None,
    trees: int,
    projection: int,
    random_matrix: Array | None,
    best_first: bool,
    max_depth: int,
    max_leaves: int,
    min_samples_leaf: float,
    min_weight_leaf: float,
    l2: float,
    min_gain: float,
    cat_smooth: float,
    cat_penalty: float,
    cat_signal: Array,
    monotone: Array | None,
    parameter: int,
    groups: Array | None,
    n_threads: int,
) -> tuple[dict[str, Any], Array, bool]: ...
def add_leaf_values(
    *, state: Array, leaf: Array, values: Array, first_leaf: Array, output: Array, n_threads: int
) -> None: ...

class Forest:
    @property
    def n_trees(self) -> int: ...
    def predict(self, *, x: Array, out: Array, first: int, last: int, n_threads: int) -> None: ...
    def predict_codes(
        self, *, codes: Array, n_bins: Array, out: Array, first: int, last: int, n_threads: int
    ) -> None: ...
    def rank(self, *, x: Array, n_threads: int) -> Array: ...
    def predict_ranks(
        self, *, ranks: Array, out: Array, first: int, last: int, n_threads: int
    ) -> None: ...
    def predict_supported(
        self,
        *,
        x: Array,
        ranks: Array | None,
        out: Array | None,
        reach: Array,
        low: Array,
        high: Array,
        asked: Array,
        contrast: Array | None,
        left_out: bool,
        lack: Array,
        lost: Array | None,
        by_feature: Array | None,
        first: int,
        last: int,
        n_threads: int,
    ) -> None: ...
    def asked(self, cover: Array) -> Array: ...
    def apply(self, *, x: Array, first: int, last: int, n_threads: int) -> Array: ...

def make_forest(
    *,
    first_node: Array,
    first_leaf: Array,
    first_set: Array,
    output: Array,
    feature: Array,
    threshold: Array,
    bin: Array,
    missing_left: Array,
    category_set: Array,
    left: Array,
    leaf: Array,
    values: Array,
    sets: Array,
    n_features: int,
    n_outputs: int,
    ranges: dict[str, Array] | None,
) -> Forest: ...
def kernel_direction(
    *,
    particles: Array,
    score: Array,
    curvature: Array | None,
    metric: Array | None,
    bandwidth: Array,
    gradient: Array,
    smoothed: Array | None,
    n_threads: int,
) -> None: ...
def newton_step(
    *, particles: Array, score: Array, curvature: Array, metric: Array, bandwidth: float
) -> Array: ...

class _Average:
    def settled(
        self,
        *,
        particles: Array,
        scaled: bool,
        bandwidth: float,
        rate: float,
        still: float,
        steps: int,
    ) -> Array: ...

class AveragedNormal(_Average):
    def __init__(
        self,
        *,
        mean: float,
        variance: float,
        prior_mean: float,
        prior_scale: float,
        shape: float,
        rate: float,
        evidence: float,
    ) -> None: ...

class AveragedCategorical(_Average): ...

def averaged_categorical(
    *, frequency: Array, prior_mean: float, prior_scale: float, evidence: float
) -> AveragedCategorical: ...

class _Posterior:
    def derivatives(
        self, *, particles: Array, score: Array, curvature: Array, n_threads: int
    ) -> None: ...
    def direction(
        self,
        *,
        particles: Array,
        curved: bool,
        metric: Array | None,
        bandwidth: Array,
        gradient: Array,
        smoothed: Array | None,
        n_threads: int,
    ) -> None: ...

class NormalPosterior(_Posterior):
    def __init__(
        self,
        *,
        y: Array,
        prior_mean: Array,
        prior_scale: Array,
        shape: Array,
        rate: Array,
        evidence: Array,
    ) -> None: ...

class CategoricalPosterior(_Posterior):
    def __init__(
        self, *, y: Array, prior_mean: Array, prior_scale: Array, evidence: Array
    ) -> None: ...
