"""The dialog for the arguments and the folder of programs."""

from __future__ import annotations

import os
from typing import Optional

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import (QDialog, QDialogButtonBox, QFileDialog, QFormLayout, QHBoxLayout, QLineEdit, QPushButton,
                             QWidget)

from .launch_options import LaunchOptions, join_arguments, split_arguments
from .plain import PlainLabel, tip
from .session import DebugSession


class LaunchDialog(QDialog):
    """Fields for the arguments of the program and the folder that it runs in, for all starts from now on."""

    def __init__(self, session: DebugSession, folder: str, parent: Optional[QWidget] = None) -> None:
        """`folder`: where the program runs if none is given."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_WindowPropagation)
        self._session = session
        self.setWindowTitle("Arguments and folder")
        self.arguments = QLineEdit(join_arguments(session.options.args), self)
        self.arguments.setAccessibleName("Arguments")
        self.arguments.setPlaceholderText("one two \"with a blank\"")
        self.arguments.setToolTip(tip("What the program gets from os.args(); quotation marks keep blanks together"))
        self.folder = QLineEdit(session.options.working_dir, self)
        self.folder.setAccessibleName("Folder")
        self.folder.setPlaceholderText(folder)
        self.folder.setToolTip(tip("Where the program runs: relative names of files begin there"))
        self.browse = QPushButton("…", self)
        self.browse.setAccessibleName("Choose the folder")
        self.browse.clicked.connect(self._browse)
        self.problem = PlainLabel(self)
        self.problem.setWordWrap(True)
        self.problem.hide()
        label = PlainLabel(self, "&Folder")
        label.setBuddy(self.folder)
        row = QHBoxLayout()
        row.addWidget(self.folder, 1)
        row.addWidget(self.browse)
        form = QFormLayout(self)
        form.addRow("&Arguments", self.arguments)
        form.addRow(label, row)
        form.addRow(self.problem)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        form.addRow(buttons)
        self.resize(460, self.sizeHint().height())

    def accept(self) -> None:
        """Remembers what is in the fields, if it can be used."""
        folder = os.path.expanduser(self.folder.text().strip())
        if folder and not os.path.isdir(folder):
            self._refuse(f"The folder {folder} does not exist.")
            return
        try:
            arguments = split_arguments(self.arguments.text())
        except ValueError as error:
            self._refuse(str(error))
            return
        self._session.options = LaunchOptions(arguments, os.path.abspath(folder) if folder else "")
        super().accept()

    def _refuse(self, sentence: str) -> None:
        self.problem.setText(sentence)
        self.problem.show()

    def _browse(self) -> None:
        start = self.folder.text().strip() or self.folder.placeholderText()
        chosen = QFileDialog.getExistingDirectory(self, "Folder", start)
        if chosen:
            self.folder.setText(chosen)
