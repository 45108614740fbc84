"""``python -m jointbayes.cli``."""

from jointbayes.cli import main

main()
