"""Writes the modules of `ez_debugger.protocol` that list commands, values and events.

`.ci/make` calls it after a change of the protocol. They are made from the description that `ez debugserver --describe` prints, which is
`src/protocol/ez/description/openrpc.json` (SPEC.md, section 13, says what its keywords mean). A test fails when they
are older than that.
"""

import json
import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DESCRIPTION = ROOT / "src/protocol/ez/description/openrpc.json"
FOLDER = ROOT / "python/ez_debugger/protocol"

MADE = "Made from the description of the protocol by make_protocol.py."
WIDTH = 120

#: The types of what is neither a list nor an object, and what stands for a value that is missing but cannot be.
SIMPLE = {"string": ("str", '""'), "integer": ("int", "0"), "boolean": ("bool", "False")}


def snake_case(name):
    return re.sub(r"(?<=[a-z0-9])[A-Z]", lambda letter: "_" + letter.group().lower(), name)


def class_name(event):
    return event[0].upper() + event[1:]


def referenced(schema):
    """The name of the component that a schema is, or None."""
    for one in [schema, *schema.get("allOf", ())]:
        if "$ref" in one:
            return one["$ref"].rpartition("/")[2]
    return None


def literal(value):
    return json.dumps(value) if isinstance(value, str) else repr(value)


class Protocol:
    def __init__(self, document):
        self.methods = document["methods"]
        self.events = document["x-events"]
        schemas = document["components"]["schemas"]
        self.data = {name: schemas[referenced(event["data"])] for name, event in self.events.items()}
        self.values = {name: schema for name, schema in schemas.items() if name not in self.events}

    def is_mapping(self, name):
        """Whether an object of the protocol is no class, since its members are not known."""
        return "additionalProperties" in self.values[name]

    def resolved(self, schema):
        """A schema, or the one to which it refers if that is one of a text."""
        name = referenced(schema)
        return self.values[name] if name and "enum" in self.values[name] else schema

    def item_type(self, schema):
        name = referenced(schema)
        return name if name else SIMPLE[schema["type"]][0]

    def field(self, schema, is_required):
        """The type and the default of a field."""
        name = referenced(schema)
        if name and self.is_mapping(name):
            return "Mapping[str, bool]", "field(default_factory=dict, hash=False)"
        if schema.get("type") == "array":
            return f"Tuple[{self.item_type(schema['items'])}, ...]", "()"
        kind, default = (name, f"{name}()") if name else SIMPLE[schema["type"]]
        if "default" in schema:
            return kind, literal(schema["default"])
        # What is not said to be true is not.
        if is_required or kind == "bool":
            return kind, default
        return f"Optional[{kind}]", "None"

    def fields(self, schema, leave_out):
        lines = []
        for name, member in schema.get("properties", {}).items():
            if name in leave_out:
                continue
            resolved = self.resolved(member)
            kind, default = self.field(resolved, name in schema.get("required", ()))
            said = member["description"]
            if "enum" in resolved:
                said += " One of " + ", ".join(f"`{word}`" for word in resolved["enum"]) + "."
            lines += textwrap.wrap(said, WIDTH, initial_indent="    #: ", subsequent_indent="    #: ")
            lines.append(f"    {snake_case(name)}: {kind} = {default}")
        return [""] + lines if lines else []

    def record(self, name, bases, schema, leave_out=()):
        docstring = textwrap.wrap(f'"""{schema["description"]}"""', WIDTH, initial_indent="    ",
                                  subsequent_indent="    ")
        if len(docstring) > 1:
            docstring[-1:] = [docstring[-1][:-3], '    """']
        head = ["", "", "@dataclass(frozen=True)", f"class {name}({', '.join(bases)}):", *docstring]
        return head + self.fields(schema, leave_out)

    def values_in_order(self):
        """The names of the values, each after those of which it consists."""
        order = []

        def add(name):
            if name in order or self.is_mapping(name) or "enum" in self.values[name]:
                return
            for member in self.values[name].get("properties", {}).values():
                inner = referenced(member.get("items", member))
                if inner and inner != name:
                    add(inner)
            order.append(name)

        for name in self.values:
            add(name)
        return order

    def values_module(self):
        names = self.values_in_order()
        lines = ['"""What the fields of events are made of."""', "", f"# {MADE}", "",
                 "from __future__ import annotations", "", "from dataclasses import dataclass",
                 "from typing import Optional, Tuple", "", "from .base import Record", "",
                 *listed("__all__ = [", sorted(names), "]")]
        for name in names:
            lines += self.record(name, ["Record"], self.values[name])
        return lines

    def events_module(self):
        lines = ['"""The events of SPEC.md, each a class."""', "", f"# {MADE}", "",
                 "from __future__ import annotations", "", "from dataclasses import dataclass, field",
                 "from typing import Dict, Mapping, Optional, Tuple, Type", "", "from .base import Event",
                 *listed("from .values import (", sorted(self.values_in_order()), ")", quote=""), "",
                 *listed("__all__ = [", ["EVENTS", *sorted(map(class_name, self.events))], "]")]
        for name, event in self.events.items():
            base = event["x-is"].rpartition("/")[2] if "x-is" in event else None
            leave_out = set(self.values[base]["properties"]) if base else set()
            if "x-divided" in event:
                # A connection joins the parts of an answer.
                leave_out |= {"part", "parts"}
            lines += self.record(class_name(name), [base, "Event"] if base else ["Event"], self.data[name], leave_out)
        lines += ["", "", "#: The class of each event, under its name in SPEC.md.", "EVENTS: Dict[str, Type[Event]] = {"]
        lines += [f'    "{name}": {class_name(name)},' for name in self.events]
        lines += ["}", "", "#: The field in which an answer in several parts is divided, under its name in SPEC.md.",
                  "DIVIDED: Dict[str, str] = {"]
        lines += [f'    "{name}": "{event["x-divided"]}",' for name, event in self.events.items() if "x-divided" in event]
        return lines + ["}"]

    def commands_module(self):
        lines = ['"""The commands of SPEC.md."""', "", f"# {MADE}", "", "from typing import Dict, FrozenSet, Tuple", "",
                 '__all__ = ["COMMANDS", "RUNS"]', "",
                 "#: Each command and its parameters, under their names in SPEC.md.",
                 "COMMANDS: Dict[str, Tuple[str, ...]] = {"]
        for method in self.methods:
            names = "".join(f'"{one["name"]}", ' for one in method["params"])
            lines += filled(f'    "{method["name"]}": (', names[:-1] if names.count(",") == 1 else names[:-2], "),")
        runs = [method["name"] for method in self.methods if method["x-answers"] == ["stopped", "exited"]]
        first = sorted({method["x-first"] for method in self.methods if "x-first" in method})
        lines += ["}", "", "#: The commands that are answered by the stop or the end of the program.",
                  *listed("RUNS: FrozenSet[str] = frozenset({", runs, "})"), "",
                  "#: Events that carry the id of such a command before it is answered.",
                  *listed("BEGINNINGS: FrozenSet[str] = frozenset({", first, "})")]
        return lines


def filled(start, names, end):
    """A list that begins and ends like this, in one line if it fits."""
    line = f"{start}{names}{end}"
    if len(line) <= WIDTH:
        return [line]
    indent = " " * (len(start) - len(start.lstrip()) + 4)
    return [start, *textwrap.wrap(names + ",", WIDTH, initial_indent=indent, subsequent_indent=indent),
            indent[4:] + end]


def listed(start, names, end, quote='"'):
    return filled(start, ", ".join(f"{quote}{name}{quote}" for name in names), end)


def made():
    """The text of each module, by its file."""
    protocol = Protocol(json.loads(DESCRIPTION.read_text(encoding="utf-8")))
    modules = {"commands.py": protocol.commands_module(), "values.py": protocol.values_module(),
               "events.py": protocol.events_module()}
    return {FOLDER / name: "\n".join(lines) + "\n" for name, lines in modules.items()}


if __name__ == "__main__":
    for path, text in made().items():
        path.write_text(text, encoding="utf-8")
