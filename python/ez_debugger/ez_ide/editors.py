"""The IDE's editors, in tabs, as the panels see them."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Sequence, Tuple

from PyQt6.QtCore import QObject, QPoint
from PyQt6.QtGui import QFont

from ..qt.breakpoint_store import UserBreakpoint
from ..qt.editor import Complete, EditorAdapter
from ..qt.margin import WIDTH
from ..qt.plain_text import PlainTextAdapter
from ..qt.problem import Problem
from ..qt.text_edit import TextEdit


class TabsAdapter(EditorAdapter):
    """An adapter for each tab with an EZ program. Stops in other files open a tab."""

    def __init__(self, tabs: Any, parent: Optional[QObject] = None) -> None:
        """`tabs`: the IDE's `EditorTabs`."""
        super().__init__(parent)
        self._tabs = tabs
        self._adapters: Dict[Any, PlainTextAdapter] = {}
        self._complete: Optional[Complete] = None
        tabs.file_opened.connect(lambda _: self._follow())
        tabs.file_saved.connect(lambda _: self._follow())
        tabs.file_closed.connect(lambda _: self._follow())
        self._follow()

    def adapter(self, file: str) -> Optional[PlainTextAdapter]:
        """The adapter of a file that is open."""
        return self._adapters.get(self._tabs.editors.get(os.path.abspath(file)))

    def show_line(self, file: str, line: int, is_past: bool = False, error: str = "", moves_cursor: bool = True
                  ) -> None:
        """Opens the file, brings the line into view and marks it."""
        self.clear_line()
        adapter = self._open(file)
        if adapter is not None:
            adapter.show_line(file, line, is_past, error, moves_cursor)

    def move_line(self, file: str, line: int) -> None:
        """Marks another line instead."""
        adapter = self.adapter(file)
        if adapter is not None:
            adapter.move_line(file, line)

    def clear_line(self) -> None:
        """Takes the mark away."""
        for adapter in self._adapters.values():
            adapter.clear_line()

    def show_place(self, file: str, line: int, column: int = 0, is_written: bool = False) -> None:
        """Opens the file and brings the line into view."""
        adapter = self._open(file)
        if adapter is not None:
            adapter.show_place(file, line, column, is_written)

    def show_range(self, file: str, line: int, column: int, end_line: int, end_column: int) -> None:
        """Opens the file, brings a part of its text into view and selects it."""
        adapter = self._open(file)
        if adapter is not None:
            adapter.show_range(file, line, column, end_line, end_column)

    def set_values(self, file: str, line: int, text: str) -> None:
        """Writes values beside the marked line."""
        adapter = self.adapter(file)
        if adapter is not None:
            adapter.set_values(file, line, text)

    def line_text(self, file: str, line: int) -> str:
        """The text of a line."""
        adapter = self.adapter(file)
        return adapter.line_text(file, line) if adapter is not None else ""

    def text_lines(self, file: str) -> Optional[List[str]]:
        """The text of a file."""
        adapter = self.adapter(file)
        return adapter.text_lines(file) if adapter is not None else None

    def set_problems(self, file: str, problems: Sequence[Problem]) -> None:
        """Marks what is wrong in a file."""
        adapter = self.adapter(file)
        if adapter is not None:
            adapter.set_problems(file, problems)

    def set_breakpoints(self, file: str, breakpoints: Sequence[UserBreakpoint]) -> None:
        """Shows the breakpoints of a file."""
        adapter = self.adapter(file)
        if adapter is not None:
            adapter.set_breakpoints(file, breakpoints)

    def cursor_place(self) -> Optional[Tuple[str, int]]:
        """File and line of the cursor."""
        adapter = self._adapters.get(self._tabs.get_current_editor())
        return adapter.cursor_place() if adapter is not None else None

    def cursor_on_screen(self) -> Optional[Tuple[str, int, int, QPoint]]:
        """Where the cursor is, in the tab in front."""
        adapter = self._adapters.get(self._tabs.get_current_editor())
        return adapter.cursor_on_screen() if adapter is not None else None

    def apply_edits(self, file: str, lines: Sequence[str], edits: Sequence[TextEdit]) -> bool:
        """Makes replacements in a file that is open."""
        adapter = self.adapter(file)
        return adapter is not None and adapter.apply_edits(file, lines, edits)

    def offer_names(self, complete: Complete) -> None:
        """Offers names in each tab."""
        self._complete = complete
        for adapter in self._adapters.values():
            adapter.offer_names(complete)

    def code_font(self) -> Optional[QFont]:
        """The font of the tab in front."""
        adapter = self._adapters.get(self._tabs.get_current_editor())
        return adapter.code_font() if adapter is not None else None

    def open_files(self) -> Sequence[str]:
        """The files in tabs."""
        return [adapter.file for adapter in self._adapters.values()]

    def _open(self, file: str) -> Optional[PlainTextAdapter]:
        # The IDE would show a dialog for a file that is not there, unless it is open.
        if not os.path.isfile(file) and self.adapter(file) is None:
            return None
        self._tabs.open_file(file)
        return self.adapter(file)

    def save_all(self) -> str:
        """Saves all files in tabs that were changed, or deleted meanwhile. A sentence if one cannot be saved."""
        for file, editor in list(self._tabs.editors.items()):
            if not os.path.isabs(file) or os.path.exists(file) and not editor.document().isModified():
                continue
            folder = os.path.dirname(file)
            if not os.path.isdir(folder):
                return f"The folder {folder} does not exist, so {os.path.basename(file)} cannot be saved."
            # The IDE would show a dialog.
            if os.path.exists(file) and not os.access(file, os.W_OK) or not editor.save_file():
                return f"{file} cannot be saved, so the program was not started."
            self._tabs.file_saved.emit(file)
        return ""

    def _follow(self) -> None:
        """Makes the adapters those of the tabs, under the names that their files have now."""
        files = {editor: file for file, editor in self._tabs.editors.items()
                 if os.path.isabs(file) and file.endswith(".ez")}
        for editor in [one for one in self._adapters if one not in files]:
            adapter = self._adapters[editor]
            adapter.leave()
            del self._adapters[editor]
            self.text_changed.emit(adapter.file)
        for editor, file in files.items():
            known = self._adapters.get(editor)
            if known is None:
                self._adapters[editor] = self._adapt(editor, file)
                self.file_shown.emit(file)
            elif known.file != file:
                known.set_file(file)

    def _adapt(self, editor: Any, file: str) -> PlainTextAdapter:
        # The IDE asks the editor for the width of its line numbers, and makes room for them.
        own_width = editor.line_number_area_width
        editor.line_number_area_width = lambda: own_width() + WIDTH
        editor.update_line_number_area_width(0)
        area = editor.line_number_area
        area.setGeometry(area.x(), area.y(), editor.line_number_area_width(), editor.contentsRect().height())
        adapter = PlainTextAdapter(editor, file, beside=area, open_file=self._tabs.open_file)
        adapter.breakpoint_toggled.connect(self.breakpoint_toggled)
        adapter.menu_requested.connect(self.menu_requested)
        adapter.hovered.connect(self.hovered)
        adapter.name_hovered.connect(self.name_hovered)
        adapter.breakpoints_moved.connect(self.breakpoints_moved)
        adapter.breakpoints_lost.connect(self.breakpoints_lost)
        adapter.text_changed.connect(self.text_changed)
        adapter.text_menu_opened.connect(self.text_menu_opened)
        adapter.file_shown.connect(self.file_shown)
        adapter.font_changed.connect(self.font_changed)
        if self._complete is not None:
            adapter.offer_names(self._complete)
        self.font_changed.emit(editor.font())
        return adapter
