"""What can be done after every round of a fit: `fit(..., callbacks=[...])`.

A callback is any function of one argument, a dict:

- "round", "n_rounds": rounds so far, and how many there will be at most;
- "metrics": {set: {metric: value}} after this round;
- "history": {set: {metric: [values]}} from before the first round on;
- "particles" (n, m, d) of the rows that are trained on, copies of a row once, and "rounds", what
  this stage has added to them;
- "stage": "fit", "evidence" while an evidence is tried, or "refit" on all rows. Of many rows the
  evidence is tried on a sample, and "fit" follows with all rows that are not held out;
- "trial": {"evidence", "by_error"} of an evidence that is searched for, or None;
- "member": {"recipe", "fold"} of the model of a bag, or None;
- "seconds" since the rounds of this stage began, "total_seconds" since `fit` was called;
- "refit_seconds": about how long it would take to train on all rows after this stage, 0 if
  nothing follows;
- "save": a function of a path that writes the model so far to a file `resume_from` goes on from;
- "watch": what early stopping has seen (`best_round`, `best_value`), or None;
- "finished": whether early stopping has found its model, so that this round is the last.

By returning `Keep(rounds)` it ends the present stage and says which of its rounds to keep. By
returning True it ends the fit: no further evidence is tried and no further model of a bag is
fitted. A refit follows all the same, unless it is one that was ended: then the model that the
search found stays. Callbacks are called in a refit if they have the attribute ``in_refit = True``.
"""

from wgboost.boosting import Keep
from wgboost.callbacks.checkpoint import Checkpoint
from wgboost.callbacks.progress import Progress
from wgboost.callbacks.reporting import Log, Record
from wgboost.callbacks.stopping import EarlyStopping, MaxTime

__all__ = ["Checkpoint", "EarlyStopping", "Keep", "Log", "MaxTime", "Progress", "Record"]
