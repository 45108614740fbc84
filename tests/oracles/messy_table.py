"""A table as people keep it: what Excel writes in Germany, with everything that goes with it.

Semicolons, decimal commas with dots between thousands, Windows-1252, dates as 31.12.2020, an
identifier, free text, one constant column, ja and nein, several labels of which 46 % of the rows
carry none, and cells with several tags. Seeded: the same rows every time.

``python tests/oracles/messy_table.py FILE`` writes it.
"""

from __future__ import annotations

import datetime as dt
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

LABELS = ("Rückerstattung", "dringend", "Technik", "Rechnung", "Lob")
WORDS = {
    "Rückerstattung": ("Geld zurück", "erstatten Sie", "Rücksendung des Pakets"),
    "dringend": ("sofort bitte", "seit Tagen warte ich", "es eilt sehr"),
    "Technik": ("Gerät startet nicht", "der Bildschirm flackert", "Akku ist leer"),
    "Rechnung": ("falsche Rechnung", "doppelt abgebucht", "Mahnung erhalten"),
    "Lob": ("vielen Dank", "sehr zufrieden damit", "toller Service"),
}
FILLERS = (
    "guten Tag", "ich habe eine Frage", "zum Artikel im Laden", "Müller aus Köln",
    "meine Bestellung",
    "der Preis von", "für die Straße", "im letzten Monat", "per Telefon gesagt", "mit Grüßen",
)  # fmt: skip
CITIES = ("Köln", "München", "Düsseldorf", "Berlin", "Görlitz")
DAY_ZERO = dt.date(2019, 1, 1)


@dataclass(frozen=True)
class Messy:
    """The rows as they are meant."""

    ids: tuple[str, ...]
    amounts: np.ndarray  # NaN: empty
    weights: np.ndarray
    days: tuple[dt.date, ...]
    cities: tuple[str, ...]
    texts: tuple[str, ...]
    tags: tuple[tuple[str, ...], ...]
    labels: np.ndarray  # (n, 5) of 0 and 1


def messy_rows(n: int = 900, seed: int = 0) -> Messy:
    """Draw the rows: a hidden mood ties labels, amounts, words and cities together."""
    rng = np.random.default_rng(seed)
    silent = rng.permutation(n) < round(0.46 * n)
    mood = rng.integers(0, 3, n)
    base = np.array(
        [[0.6, 0.2, 0.2, 0.1, 0.05], [0.1, 0.5, 0.7, 0.1, 0.1], [0.2, 0.1, 0.1, 0.6, 0.4]]
    )
    labels = (rng.random((n, 5)) < base[mood]).astype(int)
    for i in np.flatnonzero(~silent & ~labels.any(axis=1)):
        labels[i, rng.integers(5)] = 1
    labels[silent] = 0
    amounts = np.round(np.exp(rng.normal(3 + 2 * labels[:, 3] + labels[:, 0], 1.2, n)), 2)
    amounts[rng.random(n) < 0.05] = np.nan
    texts = []
    for row in labels:
        parts = [str(rng.choice(FILLERS)) for _ in range(rng.integers(2, 6))]
        for name, carried in zip(LABELS, row, strict=True):
            if carried and rng.random() < 0.8:
                parts.insert(int(rng.integers(len(parts) + 1)), str(rng.choice(WORDS[name])))
        texts.append(" ".join(parts))
    days = rng.integers(0, 700, n)
    tags = ("neu", "alt", "vip")
    return Messy(
        ids=tuple(f"T-{k:05d}" for k in rng.permutation(n)),
        amounts=amounts,
        weights=rng.integers(500, 20_000, n),
        days=tuple(DAY_ZERO + dt.timedelta(days=int(d)) for d in days),
        cities=tuple(CITIES[int(k)] for k in (mood + rng.integers(0, 3, n)) % 5),
        texts=tuple(texts),
        tags=tuple(tuple(tag for tag in tags if rng.random() < 0.4) for _ in range(n)),
        labels=labels,
    )


def german(number: float) -> str:
    """Write a number with a decimal comma and dots between thousands."""
    return "" if np.isnan(number) else f"{number:,.2f}".translate(str.maketrans(",.", ".,"))


def as_csv(rows: Messy) -> bytes:
    """Write the rows as Excel does in Germany."""
    names = [
        "Ticket-ID",
        "Betrag (€)",
        "Gewicht",
        "Datum",
        "Stadt",
        "Land",
        "Text",
        "Tags",
        *LABELS,
    ]
    lines = [";".join(names)]
    for i, ticket in enumerate(rows.ids):
        cells = [
            ticket,
            german(rows.amounts[i]),
            f"{rows.weights[i]:,}".replace(",", "."),
            f"{rows.days[i]:%d.%m.%Y}",
            rows.cities[i],
            "DE",
            rows.texts[i],
            "|".join(rows.tags[i]),
            *("ja" if carried else "nein" for carried in rows.labels[i]),
        ]
        lines.append(";".join(cells))
    return ("\r\n".join(lines) + "\r\n").encode("cp1252")


def write_messy(path: Path, n: int = 900, seed: int = 0) -> Messy:
    """Write the table to a file and return the rows as they are meant."""
    rows = messy_rows(n, seed)
    path.write_bytes(as_csv(rows))
    return rows


if __name__ == "__main__":
    write_messy(Path(sys.argv[1]))
