"""Where the tests find the project, and the program to test (`EZ`, or a debug build)."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

EZ = os.environ.get("EZ") or str(ROOT / "target" / "debug" / ("ez.exe" if sys.platform == "win32" else "ez"))
