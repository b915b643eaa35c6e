"""`python -m ez_debugger ARGUMENTS`: runs the installed `ez` with these arguments."""

import sys

from .become import become_ez

if __name__ == "__main__":
    sys.exit(become_ez(sys.argv[1:]))
