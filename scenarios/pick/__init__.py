"""Picking (pick): a commit that is applied or undone somewhere else and conflicts there, for an agent to finish."""

from .scenario import Picking as Picking
