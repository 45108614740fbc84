"""Decisions: from a posterior to the labels that cost least, and what they cost."""

from jointbayes.decision.decide import decide, expected_loss
from jointbayes.decision.labels import top_labels
from jointbayes.decision.questions import next_question

__all__ = ["decide", "expected_loss", "next_question", "top_labels"]
