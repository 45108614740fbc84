"""A section of the field's page: what forbidding the empty answer costs in Hamming loss."""

from __future__ import annotations

from jointbayes.report import Paragraph, Section
from tables import table

__all__ = ["empty_section"]

FREE = "Hamming loss, empty allowed"

TOLD = """\
Where no training row is empty, ours never answer with the empty set (`empty="auto"`): it is wrong
for sure. Hamming loss alone would rather have it where no label is likelier than not, and peers
answer so. Ours do with `decide("hamming", empty="allow")`, from the same posterior."""


def empty_section(averaged: dict[str, dict[str, dict[str, float]]]) -> Section:
    """Return Hamming loss without and with the empty answer, of whoever was asked for both."""
    free = averaged.get(FREE, {})
    own = [m for m in ("Auto", "JointForest") if any(m in found for found in free.values())]
    peers = ["CatBoost", "CatBoost, quick", "random forest", "logistic regression"]
    rows = []
    for name, found in free.items():
        row, forbidden = [name], averaged["Hamming loss"][name]
        for model in own:
            both = (forbidden.get(model), found.get(model))
            row += ["" if value is None else f"{value:.4f}" for value in both]
        rows.append(row + [f"{forbidden[p]:.4f}" if p in forbidden else "" for p in peers])
    heads = [head for model in own for head in (model, f"{model}, allowed")]
    shown = table(["set", *heads, *peers], rows)
    return Section("Hamming loss and the empty answer", (Paragraph(TOLD), shown))
