"""Slow directions and flows, written from the formulas row by row, for the tests."""

import numpy as np


def plain_kernel(x, h, metric):
    """k (m, m) and the push r_jl = (2 A / h)(x_j - x_l) k_jl (m, m, d) of one row's particles."""
    m, d = x.shape
    k, push = np.zeros((m, m)), np.zeros((m, m, d))
    for j in range(m):
        for l in range(m):  # noqa: E741
            difference = x[j] - x[l]
            k[j, l] = np.exp(-np.sum(metric * difference**2) / h)
            push[j, l] = 2 * metric / h * difference * k[j, l]
    return k, push


def plain_median(x, metric):
    """The median of the squared distances between the particles (m, d) over log(m + 1)."""
    m = len(x)
    pairs = [np.sum(metric * (x[j] - x[k]) ** 2) for j in range(m) for k in range(j)]
    median = np.median(pairs) / np.log(m + 1) if pairs else 0.0
    return median if median > 0 else 1.0


def plain_gradient(x, score, h, metric, sign=1.0):
    """g (m, d); sign=-1 takes the paper's text literally, and the particles attract."""
    k, push = plain_kernel(x, h, metric)
    return (k @ score + sign * push.sum(axis=1)) / len(x)


def plain_curvature(x, curvature, h, metric):
    """c (m, d), before any guard."""
    k, push = plain_kernel(x, h, metric)
    return (k**2 @ curvature + (push**2).sum(axis=1)) / len(x)


def plain_guard(c, curvature):
    """c kept positive by the row's largest |curvature|, and 1 if there is none."""
    c, largest = c.copy(), np.abs(curvature).max(axis=0)
    for j, p in np.ndindex(c.shape):
        if c[j, p] <= 1e-12:
            c[j, p] = max(abs(c[j, p]), 1e-6 * largest[p])
        if c[j, p] <= 1e-12:
            c[j, p] = 1.0
    return c


def plain_concave(hessian):
    """Minus the Hessians (m, d, d), |diagonal| of the indefinite, and the share of these."""
    curvatures, share = [], 0.0
    for one in hessian:
        unit = np.sqrt(np.abs(np.diag(one)))
        unit[unit == 0] = 1.0
        concave = np.linalg.eigvalsh(one / np.outer(unit, unit)).max() <= 1e-6
        curvatures.append(-one if concave else np.diag(np.abs(np.diag(one))))
        share += (not concave) / len(hessian)
    return curvatures, share


def plain_full_newton(x, score, hessian, h, metric, ridge=0.01, guarded=True):
    """The movement K H^-1 g (m, d) of one row, or without the guard the bare formula."""
    m, d = x.shape
    k, push = plain_kernel(x, h, metric)
    curvatures, share = plain_concave(hessian) if guarded else (-hessian, 0.0)
    ridge = max(ridge, 0.05 * share)
    system = np.zeros((m, d, m, d))
    for j in range(m):
        for i in range(m):
            terms = [
                curvatures[l] * k[j, l] * k[i, l] + np.outer(push[j, l], push[i, l])
                for l in range(m)  # noqa: E741
            ]
            system[j, :, i, :] = np.mean(terms, axis=0)
    system = system.reshape(m * d, m * d)
    for p in range(d):
        mean_diagonal = np.mean([system[j * d + p, j * d + p] for j in range(m)])
        for j in range(m):
            at = j * d + p
            system[at, at] += ridge * mean_diagonal if mean_diagonal > 0 else 1.0
    g = plain_gradient(x, score, h, metric)
    return k @ np.linalg.solve(system, g.reshape(-1)).reshape(m, d)


def of_rows(function, *arrays):
    """The function applied to each row of the arrays, stacked; numbers are the same in each."""
    n = max(len(a) for a in arrays if np.ndim(a))
    return np.stack([function(*(a[i] if np.ndim(a) else a for a in arrays)) for i in range(n)])


def plain_newton_step(x, score, curvature, h=0.1):
    """g / c (m, d) in the plain metric."""
    one = np.ones(x.shape[1])
    c = plain_guard(plain_curvature(x, curvature, h, one), curvature)
    return plain_gradient(x, score, h, one) / c


def plain_normal(y, theta):
    """Score and curvature (m, 2) of the paper's normal posterior at theta = (mean, log scale)."""
    mean, s = theta[:, 0], theta[:, 1]
    residual = y - mean
    score = [
        residual * np.exp(-2 * s) - mean / 100,
        residual**2 * np.exp(-2 * s) - 1.01 + 0.01 * np.exp(-s),
    ]
    curvature = [
        np.exp(-2 * s) + 0.01,
        2 * residual**2 * np.exp(-2 * s) + 0.01 * np.exp(-s),
    ]
    return np.stack(score, axis=1), np.stack(curvature, axis=1)
