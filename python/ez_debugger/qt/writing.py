"""What helps while one writes a program: fixes of what is wrong, the way to a declaration, formatting."""

from __future__ import annotations

from typing import Callable, List, Optional

from PyQt6 import sip
from PyQt6.QtCore import QObject, Qt
from PyQt6.QtGui import QAction, QKeySequence
from PyQt6.QtWidgets import QMenu, QWidget

from .code_font import size_beside
from .editor import EditorAdapter
from .language_server import LanguageServer, Place
from .offer import Fix
from .plain import show_tip


class Writing(QObject):
    """Actions for the text in an editor; they do nothing before there are an editor and a language server."""

    def __init__(self, window: QWidget) -> None:
        """The keys of the actions work in `window`."""
        super().__init__(window)
        self._window = window
        self._server: Optional[LanguageServer] = None
        self._editor: Optional[EditorAdapter] = None
        self.fix_action = self._action("Fix …", "Ctrl+.", self.show_fixes)
        self.declaration_action = self._action("Go to the declaration", "F12", self.go_to_declaration)
        self.format_action = self._action("Format the file", "Ctrl+Shift+I", self.format)
        #: All of them.
        self.actions = [self.fix_action, self.declaration_action, self.format_action]

    def attach(self, server: LanguageServer, editor: EditorAdapter) -> None:
        """Helps in an editor from now on."""
        self._server, self._editor = server, editor
        editor.text_menu_opened.connect(self._extend)
        for action in self.actions:
            action.setEnabled(True)

    def add_fixes(self, menu: QMenu, file: str, line: int, column: int, end_column: int,
                  before: Callable[[], None] = lambda: None) -> None:
        """Puts what can be written instead of a part of a line before what a menu has, as soon as it is known.

        `before` is called before the text is changed.
        """
        server, editor = self._server, self._editor
        if server is None or editor is None or editor.text_lines(file) is None:
            return
        first = menu.actions()[0] if menu.actions() else None
        asked = QAction("Looking for a fix …", menu)
        asked.setEnabled(False)
        menu.insertAction(first, asked)
        if first is not None:
            menu.insertSeparator(first)

        def take(fixes: List[Fix]) -> None:
            if sip.isdeleted(menu):
                return
            for fix in fixes:
                action = QAction(fix.title.replace("&", "&&"), menu)
                action.triggered.connect(lambda _: before())
                action.triggered.connect(lambda _, fix=fix: self._apply(file, fix))
                menu.insertAction(asked, action)
                if menu.activeAction() is None:
                    menu.setActiveAction(action)
            if fixes:
                menu.removeAction(asked)
            else:
                asked.setText("There is no fix for this")

        server.fixes(file, line, column, end_column, take)

    def show_fixes(self) -> None:
        """Offers the fixes of the line of the cursor in a menu."""
        if self._editor is None:
            return
        place = self._editor.cursor_on_screen()
        if place is not None:
            file, line, _, below = place
            menu = QMenu(self._window)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            self.add_fixes(menu, file, line, 1, len(self._editor.line_text(file, line)) + 1)
            menu.popup(below)

    def go_to_declaration(self) -> None:
        """Shows where the name at the cursor is declared."""
        server, editor = self._server, self._editor
        place = editor.cursor_on_screen() if editor is not None else None
        if server is None or editor is None or place is None:
            return
        shown_in = editor

        def take(found: Optional[Place]) -> None:
            if found is not None:
                shown_in.show_place(*found, is_written=True)
            else:
                self._say("No file of the program declares this.")

        server.definition(*place[:3], take)

    def format(self) -> None:
        """Formats the file in which the cursor is."""
        server, editor = self._server, self._editor
        place = editor.cursor_on_screen() if editor is not None else None
        if server is None or place is None:
            return
        file = place[0]

        def take(fix: Optional[Fix]) -> None:
            if fix is None:
                self._say("A file with syntax errors is not formatted.")
            else:
                self._apply(file, fix)

        server.formatted(file, take)

    def _apply(self, file: str, fix: Fix) -> None:
        if self._editor is not None and not self._editor.apply_edits(file, fix.lines, fix.edits):
            self._say("The text cannot be changed, or has been changed meanwhile.")

    def _say(self, sentence: str) -> None:
        """Where one writes."""
        place = self._editor.cursor_on_screen() if self._editor is not None else None
        font = self._editor.code_font() if self._editor is not None else None
        if place is not None:
            show_tip(place[3], sentence, self._window, size_beside(font) if font is not None else 0.0)

    def _extend(self, file: str, line: int, column: int, menu: QMenu) -> None:
        self.add_fixes(menu, file, line, column, column)

    def _action(self, text: str, key: str, slot: Callable[[], None]) -> QAction:
        action = QAction(text, self)
        action.setShortcut(QKeySequence(key))
        action.setEnabled(False)
        action.triggered.connect(slot)
        self._window.addAction(action)
        return action
