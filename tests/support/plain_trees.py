"""A slow twin of the engine in NumPy and float64, written from the formulas."""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np


def plain_cuts(x, max_bins=255, weight=None):
    """Edges of one feature.

    Few values: one edge between each two. Many: bins are filled from below to an equal share of
    the mass that is left; a bin ends where that is nearer to its share than with the next value,
    or where the next value is a share by itself.
    """
    weight = np.ones(len(x)) if weight is None else np.asarray(weight, dtype=float)
    counted = ~np.isnan(x) & (weight > 0)
    values, group = np.unique(np.asarray(x, dtype=float)[counted], return_inverse=True)
    mass = np.bincount(group, weights=weight[counted], minlength=len(values))
    if len(values) <= max_bins:
        return np.array([plain_edge(a, b) for a, b in pairwise(values)])
    edges, first = [], 0
    while len(edges) < max_bins - 1:
        share = mass[first:].sum() / (max_bins - len(edges))
        last = first
        while last + 1 < len(values):
            held, following = mass[first : last + 1].sum(), mass[last + 1]
            nearer = abs(held + following - share) > abs(held - share)
            if held >= share or following >= share or nearer:
                break
            last += 1
        if last + 1 == len(values):
            break
        edges.append(plain_edge(values[last], values[last + 1]))
        first = last + 1
    return np.array(edges)


def plain_edge(low, high):
    """A number that is at least low and below high: the middle, where there is one."""
    if np.isinf(low) and np.isinf(high):
        return 0.0
    if np.isinf(low):
        return low  # nothing else lies at or below the edge
    if np.isinf(high):
        return np.finfo(float).max
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low


def plain_codes(x, edges):
    """The number of edges below each value; behind the last bin for missing ones."""
    x = np.asarray(x, dtype=float)
    codes = (np.asarray(edges)[None, :] < x[:, None]).sum(axis=1)
    return np.where(np.isnan(x), len(edges) + 1, codes)


def project(direction, curvature, weight, split_on="all", matrix=None):
    """What the search sums of each row: w P(g) and w P(c), both (n, k).

    Without curvature every sum of directions is divided by the sum of weights.
    """
    n = direction.shape[0]
    g = np.asarray(direction, dtype=float)
    c = None if curvature is None else np.asarray(curvature, dtype=float)
    w = np.ones(n) if weight is None else np.asarray(weight, dtype=float)

    def projected(values):
        if split_on == "sum":
            return values.sum(axis=(1, 2))[:, None]
        if split_on == "particle_mean":
            return values.mean(axis=1)
        return values.reshape(n, -1)

    G = projected(g) if matrix is None else g.reshape(n, -1) @ matrix
    if c is None:
        C = np.ones_like(G)
    elif matrix is None:
        C = projected(c)
    else:
        C = np.repeat(c.reshape(n, -1).mean(axis=1)[:, None], G.shape[1], axis=1)
    return w[:, None] * G, w[:, None] * C


def score(G, C, l2):
    """Sum over the last axis of G^2 / (C + l2); an output without mass counts for nothing."""
    mass = C + l2
    return np.where(mass > 0, G**2 / np.where(mass > 0, mass, 1.0), 0.0).sum(axis=-1)


def histogram(code, values, bins):
    """Sums (bins + 1, k) of values by code."""
    sums = np.zeros((bins + 1, values.shape[1]))
    np.add.at(sums, code, values)
    return sums


def ordered_categories(G, C, total_G, total_C, smooth):
    """Positions of categories by their smoothed mean movement along its principal axis."""
    movement = (G - C * total_G / total_C) / (C + smooth)
    if not np.allclose(C, C[:, :1]):  # in units of each output's curvature
        movement = movement * np.sqrt(total_C)
    share = (C / total_C).sum(axis=1)
    axis = np.linalg.eigh((movement * share[:, None]).T @ movement)[1][:, -1]
    axis = axis / axis[np.argmax(np.abs(axis))]
    return np.argsort(movement @ axis, kind="stable")


def beyond_chance(G, C, squares, weight, penalty, signal=0.0):
    """The share (k,) of the sum of squares between levels that chance does not explain.

    `squares` sums w g^2 / c over the rows of the node, `weight` their weights. `signal` is the
    variance of the levels' effects before any boosting, in units of the variance of a row.
    """
    common = G.sum(axis=0) ** 2 / C.sum(axis=0)
    between = (G**2 / C).sum(axis=0) - common
    variance = (squares - common) / (weight - 1)
    spare = len(G) - 1
    margin = np.sqrt(2 * spare * (1 + spare / (weight - 1)))
    chance = penalty * variance * max(0.0, spare + margin - 8)
    chance /= 1 + 0.3 * signal * weight / len(G)
    more = between > chance
    return np.where(more, 1 - chance / np.where(more, between, 1.0), 0.0)


class Split(NamedTuple):
    gain: float
    feature: int
    bin: int | frozenset  # the last one to go left, or all categories that do
    missing_left: bool


@dataclass
class PlainTask:
    """The data and rules of one tree."""

    codes: np.ndarray  # (n, p)
    n_bins: np.ndarray  # (p,)
    G: np.ndarray  # (n, k), as project returns it
    C: np.ndarray
    l2: float = 0.0
    min_samples_leaf: int = 1
    min_gain: float = 0.0
    categorical: tuple = ()  # features whose codes are categories
    cat_smooth: float = 0.0
    mass_of_a_row: np.ndarray | float = 1.0  # sum(w c) / sum(w) over all rows, by output
    cat_penalty: float = 0.0
    cat_signal: float = 0.0
    weight: np.ndarray | None = None  # (n,)

    def whole(self, rows):
        """Score of a node that is not split."""
        return score(self.G[rows].sum(axis=0), self.C[rows].sum(axis=0), self.l2)

    def splits(self, rows):
        """Every admissible split of the rows. Edges stand behind bins that hold rows."""
        found, whole = [], self.whole(rows)
        for f, bins in enumerate(self.n_bins):
            code = self.codes[rows, f]
            G, C = (histogram(code, v[rows], bins) for v in (self.G, self.C))
            N = histogram(code, np.ones((len(rows), 1)), bins)[:, 0]
            sides = (False, True) if N[bins] else (False,)
            order = np.arange(bins)
            if f in self.categorical:
                present = np.flatnonzero(N[:bins])
                smooth = self.l2 + self.cat_smooth * self.mass_of_a_row
                place = ordered_categories(G[present], C[present], G.sum(0), C.sum(0), smooth)
                order = np.concatenate([present[place], np.flatnonzero(N[:bins] == 0)])
                G = self.penalised(rows, G, C, N)
            for missing_left in sides:
                left = np.zeros((bins, bins + 1), dtype=bool)
                for edge, last in enumerate(order):  # row `last`: all up to it
                    left[last, order[: edge + 1]] = True
                left[:, bins] = missing_left
                n_left, n_right = left @ N, ~left @ N
                gain = score(left @ G, left @ C, self.l2) - whole
                gain += score(~left @ G, ~left @ C, self.l2)
                enough = np.minimum(n_left, n_right) >= max(1, self.min_samples_leaf)
                for b in np.flatnonzero(enough & (N[:bins] > 0)):
                    name = int(b)
                    if f in self.categorical:
                        name = frozenset(np.flatnonzero(left[b, :bins] & (N[:bins] > 0)).tolist())
                    found.append(Split(float(gain[b]), f, name, missing_left))
        return found

    def penalised(self, rows, G, C, N):
        """Sums of a categorical feature, less what chance explains of their differences."""
        if not self.cat_penalty:
            return G
        squares = (self.G[rows] ** 2 / self.C[rows]).sum(axis=0)
        weight = len(rows) if self.weight is None else self.weight[rows].sum()
        share = beyond_chance(
            G[N > 0], C[N > 0], squares, weight, self.cat_penalty, self.cat_signal
        )
        middle = C * G.sum(axis=0) / C.sum(axis=0)
        return middle + np.sqrt(share) * (G - middle)

    def best(self, rows):
        """The split of the largest gain, or None when none exceeds min_gain."""
        worth = [s for s in self.splits(rows) if s.gain > self.min_gain + 1e-9]
        return max(worth, key=lambda s: s.gain, default=None)

    def goes_left(self, rows, feature, bin, missing_left):
        """Which rows a split sends left."""
        code = self.codes[rows, feature]
        left = np.isin(code, list(bin)) if isinstance(bin, frozenset) else code <= bin
        return np.where(code == self.n_bins[feature], missing_left, left)

    def grow(self, rows, growth="depth_wise", max_depth=None, max_leaves=None):
        """Leaves as arrays of rows."""
        opened = [(0, rows, self.best(rows))]
        while max_leaves is None or len(opened) < max_leaves:
            can = [
                (depth if growth == "depth_wise" else 0, -split.gain, i)
                for i, (depth, _, split) in enumerate(opened)
                if split and (max_depth is None or depth < max_depth)
            ]
            if not can:
                break
            depth, rows, split = opened.pop(min(can)[2])
            left = self.goes_left(rows, *split[1:])
            for part in (rows[left], rows[~left]):
                opened.append((depth + 1, part, self.best(part)))
        return [rows for _, rows, _ in opened]


def leaf_value(rows, direction, curvature, weight, l2):
    """sum(w g) / (sum(w c) + l2), output by output (m, d); 0 without mass."""
    g = np.asarray(direction, dtype=float)[rows]
    c = np.ones_like(g) if curvature is None else np.asarray(curvature, dtype=float)[rows]
    w = np.ones(len(rows)) if weight is None else np.asarray(weight, dtype=float)[rows]
    mass = np.tensordot(w, c, 1) + l2
    return np.where(mass > 0, np.tensordot(w, g, 1) / np.where(mass > 0, mass, 1.0), 0.0)


def rows_of_nodes(tree, codes, n_bins, rows):
    """The rows that come by at each node, by the routing rule."""
    arrived = {0: rows}
    for node in np.flatnonzero(tree.feature >= 0):
        f, here = tree.feature[node], arrived[node]
        code = codes[here, f]
        left = np.where(code == n_bins[f], tree.missing_left[node] != 0, code <= tree.bin[node])
        arrived[tree.left[node]], arrived[tree.left[node] + 1] = here[left], here[~left]
    return arrived
