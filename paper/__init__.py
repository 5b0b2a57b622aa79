"""Reproduces every table and figure of the paper with wgboost's public interface."""
