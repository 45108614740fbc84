"""The model file: a zip archive of a JSON header and the arrays it points to, with checksums.

::

    model.json        {"format": "jointbayes model", "version": 2, "jointbayes": "0.1.0",
                       "sha256": {member: digest, ...}, "notes": {...}, "model": ...}
    model.sha256      the digest of model.json
    arrays/0.npy …    plain numpy arrays
    foreign/0.skops … estimators of scikit-learn, if the model holds any

How values become JSON is told in `encode`. A reader refuses a version newer than its own, a member
that is missing, surplus or changed, and a class that is not a part of a model. Digests tell
damage, not authors: who changes a file on purpose can change them too, and may give the model other
numbers, but never code, and no number that points outside its array (`examine`).
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator

import jointbayes
from jointbayes.errors import CostError, DataError, JointBayesError, MissingExtraError
from jointbayes.storage.atomic import replacing
from jointbayes.storage.decode import decode
from jointbayes.storage.encode import encode

__all__ = ["FORMAT", "VERSION", "load", "read_notes", "save"]

FORMAT = "jointbayes model"
VERSION = 2
MAX_BYTES = 1 << 32
_HEADER, _DIGEST = "model.json", "model.sha256"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # of every member, so that equal models are equal files

Location = str | os.PathLike[str]


def save(model: Any, path: Location, *, notes: Mapping[str, Any] | None = None) -> None:
    """Write a model, fitted or not, to a file that `load` reads; as a whole or not at all.

    Parameters
    ----------
    model
        One of this library's estimators. Estimators of scikit-learn in it need the extra
        ``storage``.
    path
        The file; one that is there is replaced.
    notes
        What is to be remembered beside the model: names and plain values; see `read_notes`.

    Examples
    --------
    >>> import tempfile
    >>> from jointbayes import TAN
    >>> X, y = [["a"], ["b"], ["a"]], ["yes", "no", "yes"]
    >>> path = Path(tempfile.mkdtemp()) / "answers.model"
    >>> save(TAN(smoothing=0.5).fit(X, y), path)
    >>> load(path), load(path).predict([["b"]]).tolist()
    (TAN(smoothing=0.5), ['no'])
    """
    _refuse_other(model)
    encoded = encode(model, type(model).__name__)
    header = {
        "format": FORMAT,
        "version": VERSION,
        "jointbayes": jointbayes.__version__,
        "sha256": {name: sha256(data).hexdigest() for name, data in encoded.members.items()},
        "notes": dict(notes or {}),
        "model": encoded.document,
    }
    text = json.dumps(header, ensure_ascii=False, allow_nan=False).encode()
    members = {_HEADER: text, _DIGEST: sha256(text).hexdigest().encode(), **encoded.members}
    with replacing(path) as file, zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED, compresslevel=1)


def load(path: Location, *, max_bytes: int = MAX_BYTES) -> Any:
    """Return the model of a file that `save` wrote, without running any code from it.

    Parameters
    ----------
    path
        The file. One that is damaged, cut short or of a newer format is refused.
    max_bytes
        How much it may unpack to.

    Examples
    --------
    >>> import tempfile
    >>> from jointbayes import NaiveBayes
    >>> path = Path(tempfile.mkdtemp()) / "cut.model"
    >>> save(NaiveBayes(), path)
    >>> _ = path.write_bytes(path.read_bytes()[:-30])
    >>> load(path)
    Traceback (most recent call last):
    ...
    jointbayes.errors.DataError: ...cut.model is not a model file, or it is damaged or cut ...; ...
    """
    header, members = _read(path, max_bytes)
    try:
        model = decode(header["model"], members)
        _refuse_other(model)
        return model
    except MissingExtraError:
        raise
    except JointBayesError as error:
        raise DataError(f"{path} cannot be loaded: {error}") from error
    except Exception as error:  # whatever a header may say that `save` never does
        raise _damaged(path) from error


def read_notes(path: Location, *, max_bytes: int = MAX_BYTES) -> dict[str, Any]:
    """Return the notes that were saved with a model.

    >>> import tempfile
    >>> from jointbayes import NaiveBayes
    >>> path = Path(tempfile.mkdtemp()) / "noted.model"
    >>> save(NaiveBayes(), path, notes={"source": "iris"})
    >>> read_notes(path)
    {'source': 'iris'}
    """
    return dict(_read(path, max_bytes)[0]["notes"])


def _read(path: Location, max_bytes: int) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return header and members of an undamaged file."""
    try:
        with zipfile.ZipFile(Path(path).expanduser()) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
            if size > max_bytes:
                raise CostError(
                    f"{path} unpacks to {size:,} bytes, above max_bytes={max_bytes:,}; raise that "
                    "if you trust the file"
                )
            members = {name: archive.read(name) for name in archive.namelist()}
        text, digest = members.pop(_HEADER), members.pop(_DIGEST)
        header = json.loads(text)
        known = header["format"] == FORMAT and isinstance(header["version"], int)
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror or error})") from error
    except CostError:
        raise
    except Exception as error:  # zipfile and zlib have many words for damage
        raise _damaged(path) from error
    if known and header["version"] > VERSION:
        raise DataError(
            f"{path} has format version {header['version']}, and this jointbayes "
            f"{jointbayes.__version__} reads up to {VERSION}; install a newer jointbayes"
        )
    found = {name: sha256(data).hexdigest() for name, data in members.items()}
    if not known or sha256(text).hexdigest().encode() != digest or header["sha256"] != found:
        raise _damaged(path)
    return header, members


def _refuse_other(model: Any) -> None:
    if not isinstance(model, BaseEstimator):
        raise DataError(f"a model file holds an estimator, and this is a {type(model).__name__}")


def _damaged(path: Location) -> DataError:
    return DataError(
        f"{path} is not a model file, or it is damaged or cut short; save the model again"
    )
