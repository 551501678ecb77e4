"""The page of one episode: what it shows, made of the files of its run alone. It knows no plug-in's words: it shows
what `details` has, be it files with conflicts, histories, a diff or more.
"""

from __future__ import annotations

from gitgoodbench.reporting.pages.episode.record import episode_record as episode_record
from gitgoodbench.reporting.pages.episode.record import episode_trees as episode_trees
from gitgoodbench.reporting.pages.episode.trees import AMONG_MANY as AMONG_MANY
