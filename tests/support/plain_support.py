"""A slow twin of the support of rows, written from the formula: rows walk down trees one by one."""

import numpy as np


def goes_left(tree, node, value):
    """The routing rule for one raw value; categories are codes."""
    if tree.category_set[node] >= 0:
        code = 255 if np.isnan(value) else int(value)
        return code in tree.categories(node)
    return bool(tree.missing_left[node]) if np.isnan(value) else value <= tree.threshold[node]


def path(tree, row):
    """The steps (node, child) of a row."""
    node = 0
    while tree.feature[node] >= 0:
        left = tree.left[node]
        child = left if goes_left(tree, node, row[tree.feature[node]]) else left + 1
        yield node, child
        node = child


def rows_by_node(tree, X):
    """The training rows that come by at each node."""
    rows = [[] for _ in tree.feature]
    for i, row in enumerate(X):
        rows[0].append(i)
        for _, child in path(tree, row):
            rows[child].append(i)
    return rows


def step(tree, X, whole, here, row, edge, reach):
    """The factor of a step from a node to its child.

    `whole` are the training rows of all nodes, `here` those that count for this row: if it is left
    out, all others. The number of rows of a node is that of the rows drawn for the tree, scaled up.
    """
    node, child = edge
    f = tree.feature[node]
    x, parent, own = row[f], X[here[node], f], X[here[child], f]
    if np.isnan(x):
        return float(np.isnan(parent).any())
    if tree.category_set[node] >= 0:
        return float((parent == x).any())
    own, everyone = own[~np.isnan(own)], X[whole[node], f]
    if not own.size:
        return 0.0
    d = max(own.min() - x, x - own.max(), 0.0)
    n = tree.cover[node] * len(X) / tree.cover[0]
    scale = reach[f] + (np.nanmax(everyone) - np.nanmin(everyone)) / max(1, n - 1)
    return float(np.exp(-((d / scale) ** 2) / 2))


def common(known, row):
    """The factor of all trees for values beyond the training rows."""
    beyond = np.nan_to_num(np.maximum(np.maximum(known.low - row, row - known.high), 0))
    faded = np.exp(-((beyond / (known.reach * known.spread)) ** 2) / 2)
    return float(np.prod(1 - known.asked * (1 - faded)))


def plain_support(trees, known, X, rows, left_out=False):
    """The support (n, trees) of rows; with left_out rows are those of X, without themselves."""
    reach, found = known.reach * known.spread, np.ones((len(rows), len(trees.trees)))
    for t, tree in enumerate(trees.trees):
        whole = rows_by_node(tree, X)
        for i, row in enumerate(rows):
            here = [[j for j in node if j != i] for node in whole] if left_out else whole
            W = 1.0 if left_out else common(known, row)
            for node, child in path(tree, row):
                W *= step(tree, X, whole, here, row, (node, child), reach)
            found[i, t] = W
    return found


def plain_lost(trees, known, support):
    """The lost values (n, m, d): sums over trees of (1 - W) times their contrast."""
    m, d = trees.shape
    lost = np.zeros((len(support), m * d))
    width = trees.values.shape[1]
    for t, output in enumerate(trees.output):
        lost[:, output : output + width] += np.outer(1 - support[:, t], known.contrast[t])
    return lost.reshape(-1, m, d)


def plain_asked(trees, X):
    """The share of paths of training rows on which trees ask for each feature."""
    asked = np.zeros(trees.n_features)
    for tree in trees.trees:
        for row in X:
            asked[list({int(tree.feature[node]) for node, _ in path(tree, row)})] += 1
    return asked / (len(X) * max(1, len(trees.trees)))
