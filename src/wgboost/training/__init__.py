"""Training as functions over frozen data: from settings and data to a fitted model."""

from wgboost.training.data import TrainingData
from wgboost.training.encoding import ClassEncoder, NumericEncoder
from wgboost.training.fit import fit_model
from wgboost.training.flat_parameters import cluster_parameters, grouped_parameters
from wgboost.training.posterior_data import PosteriorData
from wgboost.training.progress import FitProgress
from wgboost.training.request import FitRequest, Paused
from wgboost.training.rounds import AddRounds, Stage, add_rounds, model_of_rounds
from wgboost.training.settings import Settings, resolve_settings, usual_leaves
from wgboost.training.target_data import TargetData

__all__ = [
    "AddRounds",
    "ClassEncoder",
    "FitProgress",
    "FitRequest",
    "NumericEncoder",
    "Paused",
    "PosteriorData",
    "Settings",
    "Stage",
    "TargetData",
    "TrainingData",
    "add_rounds",
    "cluster_parameters",
    "fit_model",
    "grouped_parameters",
    "model_of_rounds",
    "resolve_settings",
    "usual_leaves",
]
