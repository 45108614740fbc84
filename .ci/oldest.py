"""Print the oldest releases that pyproject.toml allows, as constraints for pip."""

import re
import tomllib
from itertools import chain
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
for wanted in chain(project["dependencies"], *project["optional-dependencies"].values()):
    if ">=" in wanted:
        print(re.sub(r"\[.*?\]", "", wanted).replace(">=", "=="))  # pip takes no extras here
