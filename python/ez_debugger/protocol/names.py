"""Names of SPEC.md and their Python spelling."""

import re


def snake_case(name: str) -> str:
    """`exitCode` becomes `exit_code`."""
    return re.sub(r"(?<=[a-z0-9])[A-Z]", lambda letter: "_" + letter.group().lower(), name)


def camel_case(name: str) -> str:
    """`exit_code` becomes `exitCode`; a name in camelCase stays as it is."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
