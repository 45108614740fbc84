"""Reproduction: the papers' protocols on the data at hand, published next to measured.

Five papers are to be reproduced; two studies of the field say what is to be beaten. A further one
is one file with its `Paper`, entered in ``running.PAPERS``, and its figures in
``jointbayes/published``.
"""

from jointbayes.reproduction.figures import Figure, Remark, printed_figures, printed_remarks
from jointbayes.reproduction.paper import Contrast, Experiment, Paper, PaperColumn, Source
from jointbayes.reproduction.planning import Question, plan_questions
from jointbayes.reproduction.running import PAPERS, Reproduction, find_paper, reproduce
from jointbayes.reproduction.verdicts import Cell, Judgement, judge, noise

__all__ = [
    "PAPERS",
    "Cell",
    "Contrast",
    "Experiment",
    "Figure",
    "Judgement",
    "Paper",
    "PaperColumn",
    "Question",
    "Remark",
    "Reproduction",
    "Source",
    "find_paper",
    "judge",
    "noise",
    "plan_questions",
    "printed_figures",
    "printed_remarks",
    "reproduce",
]
