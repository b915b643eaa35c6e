"""Programs and sessions for the tests."""

import textwrap

import project
from ez_debugger.client import AsyncSession, Session

SORT = str(project.ROOT / "examples" / "bubble_sort.ez")


def program(body, before=""):
    head = "import @std\nusing std\n"
    return f"{head}{textwrap.dedent(before)}do main() {{\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n}}\n"


#: Prints without end.
PRINTING = program("temp n int = 0\nloop {\n    n += 1\n    println(\"line ${n}\")\n}")

#: Computes without end.
COMPUTING = program("temp i int = 0\nloop {\n    i += 1\n}")

#: Asks for a line and prints it.
ASKING = program("temp line string = input()\nprintln(line)")

#: Has functions that do not end; to be stopped at its first statement.
ENDLESS_FUNCTIONS = program("println(1)", """
    do quiet() -> int {
        temp n int = 0
        loop { n = 1 - n }
        return n
    }
    do loud() -> int {
        temp n int = 0
        loop {
            n += 1
            println(n)
        }
        return n
    }
    """)


def session(file=None, **options):
    return Session(file, **{"ez": project.EZ, "timeout": 60.0, **options})


def async_session(file=None, **options):
    return AsyncSession(file, **{"ez": project.EZ, "timeout": 60.0, **options})
