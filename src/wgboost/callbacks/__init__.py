"""What can be done after every round of a fit: `fit(..., callbacks=[...])`.

A callback is any function of one argument, a dict:

- "round", "n_rounds": rounds so far, and how many there will be at most;
- "metrics": {set: {metric: value}} after this round;
- "history": {set: {metric: [values]}} from before the first round on;
- "particles" (n, m, d) of the rows that are trained on, copies of a row once, and "rounds", what
  this fit has added to them;
- "seconds" since the rounds began;
- "save": a function of a path that writes the model so far to a file `resume_from` goes on from;
- "watch": what early stopping has seen (`best_round`, `best_value`), or None;
- "finished": whether early stopping has found its model, so that this round is the last.

It ends the fit by returning True, and says which rounds to keep by returning `Keep(rounds)`.
"""

from wgboost.boosting import Keep
from wgboost.callbacks.checkpoint import Checkpoint
from wgboost.callbacks.progress import Progress
from wgboost.callbacks.reporting import Log, Record
from wgboost.callbacks.stopping import EarlyStopping, MaxTime

__all__ = ["Checkpoint", "EarlyStopping", "Keep", "Log", "MaxTime", "Progress", "Record"]
