"""Callbacks: functions that are called after every round of a fit, `fit(..., callbacks=[...])`.

A callback is any function of one argument, a dict:

- "round", "n_rounds": the number of rounds so far, and the largest possible number;
- "metrics": {set: {metric: value}} after this round;
- "history": {set: {metric: [values]}} from before the first round on;
- "particles" (n, m, d) of the training rows, with copies of a row once, and "rounds", the rounds
  that this stage has added;
- "stage": "fit", "evidence" while an evidence is tried, or "refit" on all rows. With many rows the
  evidence is tried on a sample, and "fit" follows with all rows that are not held out;
- "trial": {"evidence"}, and {"init"} if starts are compared, of what is tried, or None;
- "member": {"recipe", "fold", "trial"} of a model of a bag, or None;
- "seconds" since this stage began, "total_seconds" since `fit` was called;
- "refit_seconds": the estimated time of a refit after this stage, 0 if there is none;
- "save": a function of a path that writes the model so far to a file for `resume_from`;
- "watch": the state of early stopping (`best_round`, `best_value`), or None;
- "finished": whether early stopping has ended, so that this round is the last.

A callback that returns `Keep(rounds)` ends the present stage with this number of rounds. A callback
that returns True ends the fit: no further evidence is tried and no further member of a bag is
fitted. A refit still follows. If the refit itself is ended, the model that the search found
remains. Callbacks with the attribute ``in_refit = True`` are called in a refit, too.
"""

from wgboost.boosting import Keep
from wgboost.callbacks.checkpoint import Checkpoint
from wgboost.callbacks.progress import Progress
from wgboost.callbacks.reporting import Log, Record
from wgboost.callbacks.stopping import EarlyStopping, MaxTime

__all__ = ["Checkpoint", "EarlyStopping", "Keep", "Log", "MaxTime", "Progress", "Record"]
