"""One measurement of a peer's TAN, run by the peer's own Python in a fresh process.

    python one_class_peers.py pyagrum|weka data.npz

``data.npz`` holds the codes of training and test rows. Prints one line of JSON: seconds of fit,
milliseconds per 1,000 predicted rows, the share of right answers, and the peer's version. The data
are in memory in the peer's own form before the clock starts.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

TAN = ["-D", "-Q", "weka.classifiers.bayes.net.search.local.TAN", "--", "-S", "BAYES", "-E"]
ESTIMATOR = ["weka.classifiers.bayes.net.estimate.SimpleEstimator", "--", "-A", "0.5"]


def pyagrum(data: Any) -> dict[str, object]:
    import pandas as pd
    import pyagrum as peer
    from pyagrum import skbn

    train, test = (pd.DataFrame(data[x]).astype("category") for x in ("x_train", "x_test"))
    test = test[:1000]  # a thousand rows take it a second
    train.columns = test.columns = [f"a{j}" for j in range(train.shape[1])]
    model = skbn.createBNClassifier(learningMethod="TAN", prior="Smoothing", priorWeight=1)
    fit, _ = clock(lambda: model.fit(train, data["y_train"]))
    seconds, answer = clock(lambda: model.predict(test))
    right = np.asarray(answer).astype(int) == data["y_test"][: len(test)]
    return report("pyAgrum", peer.__version__, fit, seconds, right)


def weka(data: Any) -> dict[str, object]:
    import jpype
    from weka.core import jvm

    jvm.start(max_heap_size="12g", logging_level=40)
    with tempfile.TemporaryDirectory() as folder:
        train, test = (
            instances(jpype, data, part, Path(folder) / f"{part}.arff")
            for part in ("train", "test")
        )
    model = jpype.JClass("weka.classifiers.bayes.BayesNet")()
    model.setOptions(jpype.JArray(jpype.JString)([*TAN, *ESTIMATOR]))
    fit, _ = clock(lambda: model.buildClassifier(train))
    judge = jpype.JClass("weka.classifiers.Evaluation")(train)
    seconds, answer = clock(lambda: judge.evaluateModel(model, test))
    right = np.asarray(answer).astype(int) == data["y_test"]
    version = str(jpype.JClass("weka.core.Version")().VERSION)
    return report("Weka", version, fit, seconds, right)


def instances(jpype: Any, data: Any, part: str, path: Path) -> Any:
    x, y = data[f"x_{part}"], data[f"y_{part}"]
    header = [f"@attribute a{j} {{{values(k)}}}" for j, k in enumerate(data["cards"])]
    header.append(f"@attribute class {{{values(int(data['n_classes']))}}}")
    with path.open("w", encoding="utf-8") as file:
        file.write("\n".join(["@relation data", *header, "@data", ""]))
        np.savetxt(file, np.column_stack([x, y]), fmt="%d", delimiter=",")
    loaded = jpype.JClass("weka.core.Instances")(jpype.JClass("java.io.FileReader")(str(path)))
    loaded.setClassIndex(loaded.numAttributes() - 1)
    return loaded


def values(k: int) -> str:
    return ",".join(map(str, range(k)))


def clock(call: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    answer = call()
    return time.perf_counter() - start, answer


def report(name: str, version: str, fit: float, predict: float, right: Any) -> dict[str, object]:
    return {
        "peer": name,
        "version": version,
        "fit_s": fit,
        "predict_ms_per_1000": predict / len(right) * 1e6,
        "accuracy": float(right.mean()),
        "of_this_run": True,
    }


if __name__ == "__main__":
    method, path = sys.argv[1:]
    print(json.dumps({"pyagrum": pyagrum, "weka": weka}[method](dict(np.load(path)))))
