"""`python -m ez_debugger ARGUMENTS`: runs the installed `ez` with these arguments."""

import sys

from .become import become_ez


def main() -> int:
    """The program `ez-debugger`: `ez` under the name of the package."""
    return become_ez(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
