"""Render results/fresh_sets.json, which field.py wrote, into docs/evidence/fresh_sets.md.

    python benchmarks/field.py -o benchmarks/results/fresh_sets.json --limit 900
        --sets yahoo5000_recreation mediamill_small yahoo5000_science yahoo5000_entertainment
    python benchmarks/render_fresh.py

The sets are those that no default, no portfolio and no correction was settled on.
"""

from __future__ import annotations

from cells import read_cells
from jointbayes.report import Page, Paragraph, Section
from jointbayes.report.markdown import as_markdown
from render_empty import empty_section
from render_field import CELLS, DOCS, HERE, means, rank_rows, set_table, win_table
from render_field import METRICS as EVERY
from tables import table

STORE = HERE / "results" / "fresh_sets.json"

LEAD = """\
Rendered by `benchmarks/render_fresh.py` from what `benchmarks/field.py` measured once all choices
were made: the same contestants, rules and splits as on the page of the field, on sets that none of
these choices was settled on. How fast JointForest is was measured on rows of mediamill_small
before. Sets named yahoo5000 are kin of three on the page of the field. A fifth set, tmc2007-500,
was begun and not waited for; it has no figure. One split of each set; defaults, one thread.

Auto was measured again on 2026-11-20, when it had begun to try chains and more label vectors as
classes, which was settled on the sets of the field. It gains exact match and joint log-loss on the
three sets of yahoo5000, and nothing on mediamill_small."""

RANKS = "Over the sets that all who are ranked have finished. 1 is best."
STARS = "On how many sets Auto is better; sets are too few for a test."


def main() -> None:
    stored = read_cells(STORE)
    averaged, failed = means(stored["cells"])
    machine = stored["machine"]
    sections = [
        Section("Mean ranks", (Paragraph(RANKS), table(["", *EVERY], rank_rows(averaged)))),
        Section("Auto against each peer", (Paragraph(STARS), win_table(averaged, "Auto"))),
        empty_section(averaged),
        *(
            Section(metric[0].upper() + metric[1:], (set_table(averaged, metric),))
            for metric in CELLS
        ),
        Section("Processor seconds of fit", (set_table(averaged, "fit"),)),
    ]
    if failed:
        sections.append(Section("Left out", (table(["set", "split", "who", "why"], failed),)))
    said = f"{machine['processor']}, {machine['date']}, beside other work."
    page = Page("Fresh sets", LEAD, (("measured", said),), tuple(sections))
    (DOCS / "fresh_sets.md").write_text(as_markdown(page), encoding="utf-8")


if __name__ == "__main__":
    main()
