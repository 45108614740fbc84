"""Render the results of naibx_sizes.py and naibx_speed.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jointbayes.report.page import Block, Paragraph
from tables import table

__all__ = ["NAIBX"]


def size_tables(records: list[dict[str, Any]]) -> list[Block]:
    """Render NaiBX by who says the size, next to what is printed of it; ▲ where it is above."""
    keys = {"hamming_score": "H_s", "zero_one_score": "Z_s", "accuracy": "Acc"}
    keys |= {"precision": "Pre", "recall": "Rec"}
    rows, above = [], {}
    for one in records:
        printed = [f"{one['printed'][k]:.3f}" for k in keys]
        rows.append([one["name"], "printed (naive Bayes)", "", *printed, ""])
        for name, row in one["measured"].items():
            higher = [row[k] > one["printed"][k] for k in keys]
            cells = [f"{row[k]:.3f}{' ▲' * up}" for k, up in zip(keys, higher, strict=True)]
            spent = "" if name == "told" else f"{row['fit_cpu_s']:.2f}"
            rows.append([one["name"], name, f"{row['sizes_right']:.3f}", *cells, spent])
            above.setdefault(name, []).append([*higher, row["sizes_right"]])
    counts = [
        [
            name,
            f"{sum(f[-1] for f in found) / len(found):.3f}",
            *(f"{sum(column)} of {len(found)}" for column in list(zip(*found, strict=True))[:-1]),
            str(sum(f[0] and f[1] for f in found)),
        ]
        for name, found in above.items()
    ]
    said = (
        "Rows that were not learned (ten folds, or one split with 66 % for training); what is "
        "printed of Emotions, Scene and Yeast naive Bayes reaches on training rows only. H_s over "
        "all labels of all rows, the others means over rows; ▲ above the printed NaiBX; "
        "`told` knows the true size. Processor seconds of one fit."
    )
    head = ["size by", "sizes right", *keys.values()]
    return [
        Paragraph(said),
        table([*head, "H_s and Z_s"], counts),
        table(["set", *head, "fit, s"], rows),
    ]


def stream_tables(flow: dict[str, Any]) -> list[Block]:
    """Render one pass over a stream: its picture, memory and speed."""
    speed = ", ".join(
        f"a model that {name} {flow['rows'] / spent:,.0f}" for name, spent in flow["cpu"].items()
    )
    memory = "; ".join(
        f"{one['rows']:,} rows: {one['extra_peak_mib']:.0f} MiB"
        for one in (flow["tenth"], flow)
        if one["extra_peak_mib"] is not None
    )
    said = (
        f"One pass over {flow['rows']:,} rows in batches of {flow['batch']:,}, each asked about "
        f"before it is learned. Resident memory at its peak above the start, of which "
        f"{flow['batch_mib']:.0f} MiB are a batch and its labels: {memory}. Rows a processor "
        f"second, asked and learned: {speed}."
    )
    alt = "Share of whole label sets right along the stream; the law changes at half time"
    picture = f"![{alt}](../../benchmarks/results/naibx_stream.svg)"
    return [Paragraph(said), Paragraph(picture)]


NAIBX: Mapping[str, Callable[[Any], list[Block]]] = {
    "size_models": size_tables,
    "stream": stream_tables,
}
"""What lays out the part of a result under each key."""
