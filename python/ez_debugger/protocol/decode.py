"""Makes typed objects of the objects of JSON."""

from __future__ import annotations

import collections.abc
from dataclasses import fields
from typing import Any, Callable, Dict, Mapping, Tuple, Type, TypeVar, Union, get_args, get_origin, get_type_hints

from .base import Record
from .names import camel_case

R = TypeVar("R", bound=Record)
Decoders = Dict[str, Tuple[str, Callable[[Any], Any]]]

#: Fields that do not come out of an event's data.
_OWN = frozenset({"extra", "event", "answers", "completes"})

_made: Dict[Type[Record], Decoders] = {}


class _Unfit(Exception):
    """A value is not of the type of its field."""


def decode(kind: Type[R], data: Mapping[str, Any], **own: Any) -> R:
    """An object of a class; what it has no place for is in its `extra`."""
    known = _decoders(kind)
    values: Dict[str, Any] = dict(own)
    extra = {}
    for name, value in data.items():
        field = known.get(name)
        if field is None:
            extra[name] = value
        elif value is not None:
            try:
                values[field[0]] = field[1](value)
            except _Unfit:
                extra[name] = value
    return kind(extra=extra, **values)


def field_names(kind: Type[Record]) -> Tuple[str, ...]:
    """The fields of a class under their names in SPEC.md."""
    return tuple(_decoders(kind))


def _decoders(kind: Type[Record]) -> Decoders:
    """By its name in SPEC.md: the name of each field, and what makes its value."""
    if kind not in _made:
        hints = get_type_hints(kind)
        names = [one.name for one in fields(kind) if one.name not in _OWN]
        _made[kind] = {camel_case(name): (name, _decoder(hints[name])) for name in names}
    return _made[kind]


def _decoder(hint: Any) -> Callable[[Any], Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Union:
        return _decoder(next(one for one in arguments if one is not type(None)))
    if origin is tuple:
        return _list_of(_decoder(arguments[0]))
    if origin is collections.abc.Mapping:
        return _plain(dict)
    if issubclass(hint, Record):
        return _record(hint)
    return _plain(hint)


def _plain(kind: type) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        # A bool is an int in Python, but not in JSON.
        if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
            return value
        raise _Unfit

    return convert


def _list_of(item: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        if not isinstance(value, list):
            raise _Unfit
        return tuple(map(item, value))

    return convert


def _record(kind: Type[Record]) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        if not isinstance(value, dict):
            raise _Unfit
        return decode(kind, value)

    return convert
