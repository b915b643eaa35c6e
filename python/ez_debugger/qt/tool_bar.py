"""The bar with the buttons of a debugger."""

from __future__ import annotations

from typing import List, Optional, Tuple

from PyQt6.QtCore import QEvent, QSize
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QMenu, QSizePolicy, QToolBar, QToolButton, QWidget

from .actions import DebugActions, named
from .icons import icon

#: The last ones are those that a narrow bar has in a menu.
_ORDER = ("start", "continue", "pause", "over", "into", "out", "restart", "stop", None, "back", "reverse", None, "here")


class DebugToolBar(QToolBar):
    """Buttons for `DebugActions`. "Into" has a menu where a statement has several calls, "back" one of its kinds."""

    def __init__(self, actions: DebugActions, parent: Optional[QWidget] = None) -> None:
        super().__init__("Debug", parent)
        self._actions = actions
        #: Actions of others with the names of their icons.
        self._more: List[Tuple[QAction, str]] = []
        self.setObjectName("debug_tool_bar")
        self.setAccessibleName("Debug tool bar")
        self.setIconSize(QSize(16, 16))
        self.setMovable(False)
        for action in named(actions, *_ORDER):
            if action is None:
                self.addSeparator()
            else:
                self.addAction(action)
        for name in _ORDER:
            if name is not None:
                self.button(name).setAccessibleName(actions.by_name[name].text())
        back = QMenu("Step back", self)
        back.addActions([actions.by_name[name] for name in ("back", "back_over", "back_out")])
        self.button("back").setMenu(back)
        self.button("back").setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        actions.choice_requested.connect(self._choose)
        actions.targets_changed.connect(self._show_menu)
        actions.by_name["into"].changed.connect(self._show_menu)
        self._show_menu()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def button(self, name: str) -> QToolButton:
        """The button of an action."""
        button = self.widgetForAction(self._actions.by_name[name])
        assert isinstance(button, QToolButton)
        return button

    def add_to_start(self, *actions: QAction) -> None:
        """Puts actions into the menu of the start button."""
        menu = QMenu("Start", self)
        menu.addActions(actions)
        self.button("start").setMenu(menu)
        self.button("start").setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)

    def add_last(self, action: QAction, picture: str) -> None:
        """Adds a button at the end, with an icon."""
        self.addSeparator()
        self.addAction(action)
        self._more.append((action, picture))
        self._dress()

    def changeEvent(self, event: Optional[QEvent]) -> None:
        """Follows the palette."""
        super().changeEvent(event)
        if event is not None and event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self._dress()

    def _dress(self) -> None:
        self._actions.set_palette(self.palette())
        for action, picture in self._more:
            action.setIcon(icon(picture, self.palette()))
        # Qt's own button for what does not fit has a picture of the style, which cannot be seen on a dark ground.
        extension = self.findChild(QToolButton, "qt_toolbar_ext_button")
        if extension is not None:
            extension.setIcon(icon("more", self.palette()))
            extension.setToolTip("More buttons")
            extension.setAccessibleName("More buttons")

    def _choose(self) -> None:
        button = self.button("into")
        self._actions.targets.popup(button.mapToGlobal(button.rect().bottomLeft()))

    def _show_menu(self) -> None:
        button = self.button("into")
        if self._actions.targets.isEmpty():
            button.setMenu(None)
            button.setPopupMode(QToolButton.ToolButtonPopupMode.DelayedPopup)
        else:
            button.setMenu(self._actions.targets)
            button.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
