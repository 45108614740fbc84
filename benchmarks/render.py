"""Render results/*.json into the tables of docs/evidence/benchmarks.md.

python benchmarks/render.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jointbayes.report import Page, Paragraph, Section
from jointbayes.report.markdown import as_markdown
from jointbayes.report.page import Block
from render_naibx import NAIBX
from tables import seconds, table

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "evidence" / "benchmarks.md"
LEAD = """\
Rendered by `benchmarks/render.py` from `benchmarks/results/`; nothing here is typed. A section is
one run on one machine unless it says otherwise; the load it was measured under stands beside it."""


def ratio_row(row: dict[str, Any]) -> list[str]:
    floor = row.get("floor_s")
    return [
        row["name"] + (f" ({row['extra_mib']:.0f} MiB extra)" if "extra_mib" in row else ""),
        seconds(row["ours_s"]),
        seconds(row["rival_s"]),
        f"{row['ratio']:.1f}×",
        f"≥ {row['goal']:.3g}×",
        f"{row['ours_s'] / floor:.1f}" if floor else "",
    ]


def accuracy_tables(result: dict[str, Any]) -> list[Block]:
    """Render losses as measured / published, set by set and on average."""
    summary, names = result["summary"], list(result["records"][0]["loss"])
    rows = [
        [r["set"], f"{r['rows']:,}"]
        + [f"{r['loss'][m]:.4f} / {r['published'][m]:.4f}" for m in names]
        + [r["note"]]
        for r in result["records"]
    ]
    means = [
        ["mean loss", *(f"{summary['mean_loss'][m]:.4f}" for m in names)],
        ["published", *(f"{summary['mean_published_loss'][m]:.4f}" for m in names)],
        ["mean difference", *(f"{summary['mean_absolute_difference'][m]:.4f}" for m in names)],
    ]
    against = summary["LTAN_against_TAN"]
    said = (
        f"Over the {len(summary['sets'])} whole sets of 900 rows or more; algorithms from best to "
        f"worst: {', '.join(summary['order'])}; published: "
        f"{', '.join(summary['published_order'])}. LTAN against TAN on all sets (5 % rule): "
        f"{against['wins']} wins, {against['draws']} draws, {against['losses']} losses."
    )
    return [
        table(["set", "rows", *names, "note"], rows),
        Paragraph(said),
        table(["", *names], means),
    ]


def label_driven_tables(result: dict[str, Any]) -> list[Block]:
    """Render mean losses of the variants, and against the threshold delta."""
    losses = result["summary"]["mean_loss"]
    against = result["summary"]["against_any"]
    variants = [
        [name, f"{loss:.4f}", *_against(against.get(name))]
        for name, loss in losses.items()
        if not name.startswith("delta")
    ]
    deltas = sorted(
        (float(name.split()[1]), loss) for name, loss in losses.items() if name.startswith("delta")
    )
    head = ["variant", "mean loss", "better than LTAN any on", "worse on", "Wilcoxon p"]
    return [
        Paragraph(f"Ten folds, {len(result['sets'])} data sets."),
        table(head, variants),
        table(
            ["delta", *(f"{d:g}" for d, _ in deltas)],
            [["mean loss", *(f"{loss:.4f}" for _, loss in deltas)]],
        ),
    ]


def _against(found: dict[str, Any] | None) -> list[str]:
    if found is None:
        return ["", "", ""]
    return [str(found["better"]), str(found["worse"]), f"{found['wilcoxon_p']:.3f}"]


def speed_tables(result: dict[str, Any]) -> list[Block]:
    """Render fits and predictions against peers, and how the time of a fit grows."""
    rows = []
    for shape in result["shapes"]:
        ours = shape["ours"]
        for peer in shape["peers"]:
            model = "AODE" if "AODE" in peer["peer"] else "TAN"
            mark = "" if peer.get("of_this_run", True) else " (measured earlier)"
            predict = ours[f"{model.lower()}_predict_ms_per_1000"]
            rows.append(
                [
                    shape["shape"],
                    model,
                    peer["peer"] + mark,
                    seconds(ours[f"{model.lower()}_fit_s"]),
                    seconds(peer.get("fit_s")),
                    f"{peer['fit_ratio']:.0f}×" if "fit_ratio" in peer else "",
                    f"{predict:.3f}",
                    f"{peer['predict_ms_per_1000']:.1f}",
                    f"{peer['predict_ratio']:.1f}×",
                ]
            )
    head = ["shape", "model", "peer", "fit", "its fit", "ratio"]
    head += ["predict, ms per 1,000 rows", "its", "ratio"]
    parts = [
        [
            shape["shape"],
            seconds(shape["ours"]["count_pairs_s"]),
            f"{shape['ours']['tan_fit_from_codes_over_counting']:.2f}",
            f"{shape['ours']['tan_fit_from_frame_over_counting']:.2f}",
        ]
        for shape in result["shapes"]
    ]
    growth = [
        [
            f"{g['rows']:,}",
            seconds(g["fit_s"]),
            f"{g['ns_per_row']:.0f}",
            f"{g['bytes_per_row']:.0f}",
        ]
        for g in result["growth"]
    ]
    return [
        table(head, rows),
        table(["shape", "counting pairs", "TAN from codes ÷ it", "TAN from a frame ÷ it"], parts),
        table(["rows × 11", "TAN fit", "ns per row", "extra bytes per row"], growth),
    ]


def proven_tables(records: list[dict[str, Any]]) -> list[Block]:
    """Render the share of rows whose best label vector is proven, and what that takes."""
    head = ["set", "model", "labels", "width", "rows", "proven", "ms a row", "slowest, ms"]
    rows = [
        [
            r["set"],
            r["model"],
            str(r["labels"]),
            str(r["width"]),
            str(r["rows"]),
            f"{r['proven']:.1%}",
            f"{r['ms_per_row']:.3f}",
            f"{r['slowest_ms']:.1f}",
        ]
        for r in records
    ]
    return [table(head, rows)]


def ctbn_tables(result: dict[str, Any]) -> list[Block]:
    """Render the package CTBN beside ours, memory by entries, and what chains prove."""
    packages = [
        [
            r["set"],
            seconds(r["ours_fit_s"]),
            seconds(r["ours_with_penalties_chosen_s"]),
            seconds(r.get("fit_s")),
            *(number(r.get(k), 3) for k in ("ours_exact_match", "exact_match")),
            *(number(r.get(f"{k}predict_ms_per_1000"), 1) for k in ("ours_", "")),
            r.get("note", ""),
        ]
        for r in result["packages"]
    ]
    memory = [
        [
            f"{r['rows']:,}",
            f"{r['entries']:,}",
            f"{r['mib']:.0f} MiB",
            f"{r['bytes_per_entry']:.0f}",
        ]
        for r in result["memory"]
    ]
    chains = [
        [
            r["set"],
            str(r["labels"]),
            str(r["rows"]),
            f"{r['proven']:.0%}",
            f"{r['visited_median']:g}",
            f"{r['share_of_tree']:.1g}",
            seconds(r["map_s"]),
        ]
        for r in result["chains"]
    ]
    head = [
        "CTBN fit, 70 % of",
        "ours, one penalty",
        "ours, penalties chosen",
        "package CTBN 0.0.1",
    ]
    head += ["exact match, ours", "its", "predict, ms per 1,000 rows, ours", "its", "note"]
    visited = ["median prefixes visited", "mean share of all prefixes", "all rows"]
    return [
        table(head, packages),
        table(["rcv1sub1, rows", "entries", "peak of a fit", "bytes per entry"], memory),
        table(["exact chain", "labels", "rows", "proven", *visited], chains),
    ]


def texts_tables(records: list[dict[str, Any]]) -> list[Block]:
    """Render what each way to read texts gives, set by set."""
    head = ["set", "rows × words", "read", "exact match", "micro F1", "−log P(y) a row", "fit"]
    rows = [
        [
            r["set"],
            f"{r['rows']:,} × {r['words']:,}",
            model,
            f"{m['exact_match']:.3f}",
            f"{m['micro_f1']:.3f}",
            f"{m['loss_a_row']:.3f}",
            seconds(m["fit_s"]),
        ]
        for r in records
        for model, m in r["models"].items()
    ]
    return [table(head, rows)]


def noise_tables(result: dict[str, Any]) -> list[Block]:
    """Render which share of the usual noise five in a hundred equal pairs exceed."""
    rows = [
        [r["dataset"], r["model"], r["folds"], f"{r['usual_outside']:.1%}", f"{r['share']:.2f}"]
        for r in result["noise"]
    ]
    said = (
        f"{result['partitions']} partitions of each data set, every pair of means. The usual noise "
        f"leaves {result['usual_outside']:.1%} of pairs outside; {result['share']:g} of it leaves "
        f"{result['outside']:.1%}, which is what pages of reproductions take."
    )
    head = ["set", "model", "folds", "outside the usual noise", "share of it that 5% exceed"]
    return [Paragraph(said), table(head, [[str(field) for field in row] for row in rows])]


def number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def section(result: dict[str, Any]) -> Section:
    machine = ", ".join(f"{key} {value}" for key, value in result["machine"].items())
    blocks: list[Block] = [Paragraph(machine)]
    if "note" in result:
        blocks.append(Paragraph(result["note"]))
    if result.get("ratios"):
        head = ["what", "ours", "rival", "ratio", "goal", "÷ floor"]
        blocks.append(table(head, [ratio_row(row) for row in result["ratios"]]))
    if result.get("limits"):
        rows = [[x["name"], f"{x['value']:.2f}", f"≤ {x['limit']:g}"] for x in result["limits"]]
        blocks.append(table(["what", "measured", "limit"], rows))
    if "packages" in result:
        blocks += ctbn_tables(result)
    if "shapes" in result:
        blocks += speed_tables(result)
    if "noise" in result:
        blocks += noise_tables(result)
    if "records" in result:
        blocks += accuracy_tables(result)
    for key, lay_out in {"proven": proven_tables, "texts": texts_tables, **NAIBX}.items():
        blocks += lay_out(result[key]) if key in result else []
    if "against_any" in result.get("summary", {}):
        blocks += label_driven_tables(result)
    return Section(result["title"], tuple(blocks))


def main() -> None:
    found = sorted((HERE / "results").glob("*.json"))
    results = [json.loads(path.read_text(encoding="utf-8")) for path in found]
    sections = tuple(section(result) for result in results if "title" in result)
    page = Page("Benchmarks", LEAD, (), sections)
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(as_markdown(page), encoding="utf-8")


if __name__ == "__main__":
    main()
