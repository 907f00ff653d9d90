"""Collect only what is needed: a pipeline step, and a questionnaire that stops asking."""

from sparsam.collect._questionnaire import Asked as Asked
from sparsam.collect._questionnaire import Questionnaire
from sparsam.collect._step import GeneralizationStep
from sparsam.collect._target import Target
from sparsam.collect._target import record_sizes as record_sizes
from sparsam.collect.store._store import Store

# What is not listed here is for the other folders, not for users.
__all__ = ["GeneralizationStep", "Questionnaire", "Store", "Target"]
