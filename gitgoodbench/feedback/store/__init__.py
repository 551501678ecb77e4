"""The database of a repository's feedback, in its common Git directory: what was read, linked, scored and delivered."""

from __future__ import annotations

from gitgoodbench.feedback.store.database import Store as Store
from gitgoodbench.feedback.store.database import folder_of as folder_of
