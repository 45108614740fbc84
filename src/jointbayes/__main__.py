"""``python -m jointbayes`` is the command ``jointbayes``."""

from jointbayes.cli import main

main()
