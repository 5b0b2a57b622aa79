"""Particles of a fitted model, relative to its start."""

from wgboost.training.tables import apply_schema


def particles_of(model, X):
    fitted = model.model_
    return fitted.predict_particles(apply_schema(fitted.schema, X))[0]


def staged_particles_of(model, X):
    fitted = model.model_
    return (particles for particles, *_ in fitted.staged_particles(apply_schema(fitted.schema, X)))
