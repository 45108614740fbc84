"""Model files: plain arrays and JSON in a zip archive. Loading one never runs code from it."""

from jointbayes.storage.atomic import replacing
from jointbayes.storage.model_file import VERSION, load, read_notes, save

__all__ = ["VERSION", "load", "read_notes", "replacing", "save"]
