"""Build what is published, and try it in fresh environments: run by `make dist`.

dist/ then holds the sdist, and wheels built from it: one for Python 3.11, one with the stable ABI
for 3.12 and newer, and one without compiled kernels for machines that have neither. Each is
installed into an environment of its own, outside the clone, and has to answer as the clone does.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
PYTHONS = ("3.11", "3.12", "3.13")
PURE = ("wheel.cmake=false", "wheel.platlib=false", "wheel.py-api=py3")
TRIAL = """
import sys, jointbayes as jb
from jointbayes import _kernels
data = jb.load_dataset("flags")
model = jb.MultilabelFAN().fit(data.X, data.Y)
jb.save(model, "flags.jb")
again = jb.load("flags.jb")
assert (again.predict(data.X) == model.predict(data.X)).all()
assert jb.CTBN().fit(data.X, data.Y).score(data.X, data.Y) > 0.3
print(sys.version.split()[0], "compiled" if _kernels.COMPILED else "pure", round(model.score(data.X, data.Y), 6))
"""  # noqa: E501


def main() -> None:
    """Build, try, and say what there is."""
    pythons = {version: found for version in PYTHONS if (found := python(version))}
    absent = [version for version in PYTHONS if version not in pythons]
    if "3.11" not in pythons or "3.12" not in pythons:
        sys.exit(f"the wheels need Python 3.11 and 3.12; not at hand: {', '.join(absent)}")
    shutil.rmtree(DIST, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        tools = environment(pythons["3.11"], place / "tools", "build")
        run([tools, "-m", "build", "--sdist", "--outdir", DIST, ROOT])
        (sdist,) = DIST.glob("*.tar.gz")
        for version, options in (("3.11", ()), ("3.12", ()), ("3.11", PURE)):
            settings = [f"--config-settings={option}" for option in options]
            run([pythons[version], "-m", "pip", "wheel", "--no-deps", "--quiet",
                 "--wheel-dir", DIST, *settings, sdist])  # fmt: skip
        answers = [try_wheel(pythons[v], place / f"trial-{v}", wheel_of(v)) for v in pythons]
        answers.append(try_wheel(pythons["3.11"], place / "trial-pure", wheel_of("py3-none-any")))
    if len({answer.rsplit(" ", 1)[1] for answer in answers}) != 1:
        sys.exit("the wheels do not agree: " + "; ".join(answers))
    kinds = [answer.split()[1] for answer in answers]
    if kinds != ["compiled"] * len(pythons) + ["pure"]:
        sys.exit("a wheel lacks its kernels, or has too many: " + "; ".join(answers))
    for path in sorted(DIST.iterdir()):
        print(f"{path.stat().st_size / 1e6:6.2f} MB  {path.name}")
    for answer in answers:
        print("tried:", answer)
    if absent:
        print("not tried, as they are not at hand:", ", ".join(absent))


def python(version: str) -> str | None:
    """Return the interpreter of a version, if one is on the path or among pyenv's."""
    places = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    for candidate in (shutil.which(f"python{version}"), *map(str, places)):
        if candidate and version_of(candidate) == version:
            return candidate
    return None


def version_of(interpreter: str) -> str:
    """Return major and minor version, or nothing if it does not run."""
    asked = [interpreter, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    return subprocess.run(asked, check=False, capture_output=True, text=True).stdout.strip()


def wheel_of(what: str) -> Path:
    """Return the wheel for a version of Python, or the one with the tag."""
    tag = {"3.11": "cp311-cp311", "3.12": "cp312-abi3", "3.13": "cp312-abi3"}.get(what, what)
    (wheel,) = DIST.glob(f"*-{tag}*.whl")
    return wheel


def environment(interpreter: str, place: Path, *packages: str | Path) -> Path:
    """Make an environment with the packages, and return its interpreter."""
    run([interpreter, "-m", "venv", place])
    run([place / "bin" / "python", "-m", "pip", "install", "--quiet", *packages])
    return place / "bin" / "python"


def try_wheel(interpreter: str, place: Path, wheel: Path) -> str:
    """Install a wheel, ask a model and the command line, and return what the model said."""
    own = environment(interpreter, place, wheel)
    alone = {k: v for k, v in os.environ.items() if k not in {"JOINTBAYES_DATA", "PYTHONPATH"}}
    said = subprocess.check_output([own, "-c", TRIAL], cwd=place, env=alone, text=True).strip()
    run(
        [place / "bin" / "jointbayes", "describe", "zoo"],
        cwd=place,
        env=alone,
        stdout=subprocess.DEVNULL,
    )
    return said


def run(command: list[object], **options: object) -> None:
    """Run a command, and stop if it fails."""
    subprocess.run([str(word) for word in command], check=True, **options)


if __name__ == "__main__":
    main()
