"""Rows and settings whose search for the evidence sees a sample of the rows."""

import numpy as np

from wgboost import TreeLearner

SAMPLE, WATCHED, N = 60, 25, 400
SETTINGS = {
    "evidence": "auto",
    "early_stopping": True,
    "n_iter_no_change": 4,
    "n_estimators": 12,
    "learner": TreeLearner(leaf="newton", split_on="particle_mean", growth="depth_wise"),
    "l2": 1,
    "n_particles": 4,
    "n_jobs": 1,
    "random_state": 0,
    "tree": "shared",
    "max_depth": 3,
    "max_leaves": None,
    "colsample": 1.0,
    "init": "flow",
    "learning_rate": 0.1,
}
RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (N, 3))
Y = np.sin(2 * X[:, 0]) + RNG.standard_normal(N)
PLANE = RNG.uniform(-1, 1, (2000, 2))
MANY = PLANE, np.sin(2 * PLANE[:, 0]) + 1.5 * RNG.standard_normal(2000)
INSIDE = 320  # rows that are left to train on
