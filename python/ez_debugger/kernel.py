"""The kernel for Jupyter that is installed with this package: `python -m ez_debugger.kernel CONNECTION_FILE`.

Becomes `ez kernel`. Jupyter replaces "python" by its own interpreter, so the `ez` beside it is found even if the
environment is not on the path. With arguments of `ez kernel` other than a file, does what that does.
"""

from __future__ import annotations

import sys

from .become import become_ez


def main() -> int:
    """Runs `ez kernel` with the arguments of this process. Returns its status, or does not return."""
    return become_ez(["kernel", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
