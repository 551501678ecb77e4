"""Interactive rebase (IR): a chain of commits for an agent to clean up, its contents left as they are."""

from .scenario import InteractiveRebase as InteractiveRebase
