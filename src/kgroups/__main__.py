"""``python -m kgroups`` is the command ``kgroups``."""

from kgroups.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
