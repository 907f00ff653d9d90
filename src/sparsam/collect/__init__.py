"""Collect only what is needed: a pipeline step, and a questionnaire that stops asking."""

from sparsam.collect._questionnaire import Questionnaire
from sparsam.collect._step import GeneralizationStep

__all__ = ["GeneralizationStep", "Questionnaire"]
