r"""Words: a column of free text as numbers, one column for each word (tf-idf).

With N rows, n(w, t) how often the word w stands in the text t, and n(w) the number of texts it
stands in::

    weight(w, t) = n(w, t) · (ln((1 + N) / (1 + n(w))) + 1) / length(t)                       (1)

where length(t) makes the squares of a row's weights add up to 1. Words of one letter, and those
that stand in one text only, are left out. scikit-learn's TfidfVectorizer computes it. Words are
learned from all rows of a file, without a look at the labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from jointbayes.errors import CostError, DataError
from jointbayes.table import Column
from jointbayes.table.wording import shown

__all__ = ["MOST_WORDS", "Words", "learn_words"]

MOST_WORDS = 1000
_MAX_DENSE = 1 << 31  # bytes of all columns of words


@dataclass(frozen=True)
class Words:
    """The words of one text column, and the weight ln((1 + N) / (1 + n(w))) + 1 of each.

    >>> notes = Column.of("note", ["red door", "red lamp", "dark lamp", None])
    >>> words = learn_words(notes)
    >>> words.vocabulary, [column.name for column in words.columns(notes)]
    (('lamp', 'red'), ['note: lamp', 'note: red'])
    >>> words.columns(Column.of("note", ["lamp, lamp!"]))[0].values.tolist()
    [1.0]
    """

    column: str
    vocabulary: tuple[str, ...]
    weights: tuple[float, ...]

    def columns(self, texts: Column) -> list[Column]:
        """Return one numeric column for each word."""
        needed = 8 * len(texts) * len(self.vocabulary)
        if needed > _MAX_DENSE:
            raise CostError(
                f"{len(self.vocabulary):,} words of column {shown(self.column)} in {len(texts):,} "
                f"rows take {needed:,} bytes (limit {_MAX_DENSE:,}); ask for fewer words"
            )
        vectorizer = _vectorizer(vocabulary=list(self.vocabulary))
        vectorizer.idf_ = np.array(self.weights)
        block = vectorizer.transform(_texts(texts)).toarray(order="F")
        names = [f"{self.column}: {word}" for word in self.vocabulary]
        return [Column(name, "numeric", block[:, k]) for k, name in enumerate(names)]

    def as_dict(self) -> dict[str, Any]:
        """Return the words as plain values, which `from_dict` reads."""
        return {
            "column": self.column,
            "vocabulary": list(self.vocabulary),
            "weights": list(self.weights),
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Words:
        """Return the words that `as_dict` wrote.

        >>> Words.from_dict({"column": "note", "vocabulary": ["red"], "weights": [1.5]})
        Words(column='note', vocabulary=('red',), weights=(1.5,))
        """
        vocabulary, weights = plain["vocabulary"], plain["weights"]
        if len(vocabulary) != len(weights) or not all(isinstance(w, str) for w in vocabulary):
            raise DataError("the words of a text column have as many weights as words")
        return cls(str(plain["column"]), tuple(vocabulary), tuple(map(float, weights)))


def learn_words(texts: Column, most: int = MOST_WORDS) -> Words:
    """Return the commonest words of a text column, in the order of the alphabet."""
    if texts.categories is None or not all(isinstance(v, str) for v in texts.categories):
        raise DataError(f"column {shown(texts.name)} does not hold text; leave it out of text=")
    vectorizer = _vectorizer(max_features=most, min_df=2)
    try:
        vectorizer.fit(_texts(texts))
    except ValueError:
        raise DataError(
            f"column {shown(texts.name)} has no word that stands in two rows; leave it out of text="
        ) from None
    vocabulary = vectorizer.get_feature_names_out().tolist()
    return Words(texts.name, tuple(vocabulary), tuple(vectorizer.idf_.tolist()))


def _vectorizer(**options: Any) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(token_pattern=r"(?u)\b\w\w+\b", **options)


def _texts(column: Column) -> list[str]:
    return ["" if text is None else str(text) for text in column.decoded().tolist()]
