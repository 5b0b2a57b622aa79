"""Responses: distributions of y given parameters, with priors. One file per response."""

from wgboost.responses.base import Response
from wgboost.responses.beta import Beta
from wgboost.responses.categorical import Categorical
from wgboost.responses.cauchy import Cauchy
from wgboost.responses.censoring import censored
from wgboost.responses.exponential import Exponential
from wgboost.responses.gamma import Gamma
from wgboost.responses.gumbel import Gumbel
from wgboost.responses.inverse_gaussian import InverseGaussian
from wgboost.responses.laplace import Laplace
from wgboost.responses.logistic import Logistic
from wgboost.responses.lognormal import LogNormal
from wgboost.responses.multivariate_normal import MultivariateNormal
from wgboost.responses.negative_binomial import NegativeBinomial
from wgboost.responses.normal import Normal
from wgboost.responses.ordinal import Ordinal
from wgboost.responses.poisson import Poisson
from wgboost.responses.proposal import propose_response
from wgboost.responses.registry import RESPONSES, as_response
from wgboost.responses.student_t import StudentT
from wgboost.responses.units import ColumnUnits, Units
from wgboost.responses.weibull import Weibull
from wgboost.responses.zero_inflated_negative_binomial import ZeroInflatedNegativeBinomial
from wgboost.responses.zero_inflated_poisson import ZeroInflatedPoisson

__all__ = [
    "RESPONSES",
    "Beta",
    "Categorical",
    "Cauchy",
    "ColumnUnits",
    "Exponential",
    "Gamma",
    "Gumbel",
    "InverseGaussian",
    "Laplace",
    "LogNormal",
    "Logistic",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "Ordinal",
    "Poisson",
    "Response",
    "StudentT",
    "Units",
    "Weibull",
    "ZeroInflatedNegativeBinomial",
    "ZeroInflatedPoisson",
    "as_response",
    "censored",
    "propose_response",
]
