"""Replacements in the text of an editor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

from PyQt6.QtGui import QTextBlock, QTextCursor, QTextDocument


@dataclass(frozen=True)
class TextEdit:
    """A replacement in a text: lines and columns count from 0, columns in UTF-16, as Qt does; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


def block_at(document: QTextDocument, line: int) -> QTextBlock:
    """A line of a document, counted from 1, by a number from anywhere; not valid if there is no such line."""
    return document.findBlockByNumber(line - 1 if 0 < line <= document.blockCount() else -1)


def apply_edits(document: QTextDocument, edits: Sequence[TextEdit]) -> None:
    """Makes replacements whose places are those of the text as it is. Those in lines that are not there are left out."""
    # From the end, so that no place moves before its turn.
    for edit in sorted(edits, key=lambda one: (one.line, one.column), reverse=True):
        start, end = (block_at(document, line + 1) for line in (edit.line, edit.end_line))
        if not start.isValid() or not end.isValid():
            continue
        cursor = QTextCursor(start)
        cursor.setPosition(start.position() + min(edit.column, start.length() - 1))
        cursor.setPosition(end.position() + min(edit.end_column, end.length() - 1), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(edit.text)


def line_afterwards(edits: Sequence[TextEdit], line: int) -> int:
    """Where a line, counted from 0, is after replacements: the lines of those above it count."""
    return line + sum(edit.text.count("\n") - (edit.end_line - edit.line) for edit in edits if edit.end_line < line)
