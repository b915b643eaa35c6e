"""What is wrong with a program while it is written, which names fit, and what they mean: `ez lsp`."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from PyQt6.QtCore import QCoreApplication, QObject, QProcess, QTimer, QUrl, pyqtSignal

from ..client import DebuggerError
from .editor import EditorAdapter
from .offer import Fix, Offer
from .paths import absolute
from .problem import ERROR, WARNING, Problem
from .program_text import lines_of_file
from .text_edit import TextEdit
from .utf16 import text_before, units

#: How long after a key the text is sent, in milliseconds; the server waits for the next key by itself.
_SEND_AFTER_MS = 40

#: How often the process is started; one that ends so often is no language server.
_MOST_STARTS = 3

#: How long the system may take to end the process when it is killed.
_KILL_MS = 2000

#: The longest message that is taken from the server, in bytes.
_LONGEST = 64 * 1024 * 1024


#: A file, and line and column in it, from 1, the column in code points.
Place = Tuple[str, int, int]


class LanguageServer(QObject):
    """Follows the files in an editor, with the texts that they have there.

    Nothing waits: answers come to functions. Without a program `ez`, or with one that has no language server, nothing
    is reported, and each question has an empty answer.
    """

    #: What is wrong in a file: its path, and a list of `Problem`, with lines of the text in the editor.
    reported = pyqtSignal(str, list)

    def __init__(self, program: Callable[[], Sequence[str]], parent: Optional[QObject] = None) -> None:
        """`program`: gives the program `ez` and its first arguments, or raises `DebuggerError`."""
        super().__init__(parent)
        self._program = program
        self._editor: Optional[EditorAdapter] = None
        self._process: Optional[QProcess] = None
        self._starts = 0
        self._received = b""
        self._id = 0
        self._answers: Dict[int, Callable[[Any], None]] = {}
        #: The texts that the server has.
        self._texts: Dict[str, List[str]] = {}
        self._version = 0
        self._wrong: Dict[str, List[Problem]] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SEND_AFTER_MS)
        self._timer.timeout.connect(self._send_texts)
        application = QCoreApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(self._drop)

    def attach(self, editor: EditorAdapter) -> None:
        """Follows an editor from now on."""
        self._editor = editor
        editor.file_shown.connect(lambda _: self._timer.start())
        editor.text_changed.connect(lambda _: self._timer.start())
        self._timer.start()

    def hover(self, file: str, line: int, column: int, take: Callable[[str], None]) -> None:
        """What the name at a place means, as plain text. Lines and columns count from 1, columns in code points."""
        def text(answer: Any) -> None:
            contents = answer.get("contents") if isinstance(answer, dict) else None
            take(str(contents.get("value", "")).strip() if isinstance(contents, dict) else "")

        self._ask_at("textDocument/hover", file, line, column, text)

    def complete(self, file: str, line: int, column: int, take: Callable[[List[Offer]], None]) -> None:
        """The names that can be written at a place, the best first."""
        def offers(answer: Any) -> None:
            items = answer.get("items") if isinstance(answer, dict) else answer
            sortable = [item for item in items or [] if isinstance(item, dict) and item.get("label")]
            take([_offer(item) for item in sorted(sortable, key=_order)])

        self._ask_at("textDocument/completion", file, line, column, offers)

    def definition(self, file: str, line: int, column: int, take: Callable[[Optional[Place]], None]) -> None:
        """Where the name at a place is declared; None if that is not known, or in no file."""
        def place(answer: Any) -> None:
            found = answer[0] if isinstance(answer, list) and answer else answer
            take(self._place(found) if isinstance(found, dict) else None)

        self._ask_at("textDocument/definition", file, line, column, place)

    def fixes(self, file: str, line: int, column: int, end_column: int, take: Callable[[List[Fix]], None]) -> None:
        """What can be written instead of what is wrong in a part of a line, and for the whole file what is certain."""
        def fixes(lines: List[str], answer: Any) -> None:
            found = (_fix(file, lines, one) for one in answer or [])
            take([one for one in found if one is not None])

        self._ask("textDocument/codeAction", file, fixes, lambda lines: {
            "range": {"start": _at(lines, line, column), "end": _at(lines, line, end_column)},
            "context": {"diagnostics": []}})

    def formatted(self, file: str, take: Callable[[Optional[Fix]], None]) -> None:
        """What has to be changed so that a file is formatted; None if it cannot be, as while it has syntax errors."""
        def fix(lines: List[str], answer: Any) -> None:
            edits = tuple(_edit(one) for one in answer) if isinstance(answer, list) else None
            take(Fix("Format", tuple(lines), edits) if edits is not None else None)

        self._ask("textDocument/formatting", file, fix, lambda _: {"options": {"tabSize": 4, "insertSpaces": True}})

    def close(self) -> None:
        """Ends the process at once, and follows the editor no more."""
        self._editor = None
        self._drop()

    def _ask_at(self, method: str, file: str, line: int, column: int, take: Callable[[Any], None]) -> None:
        self._ask(method, file, lambda _, answer: take(answer), lambda lines: {"position": _at(lines, line, column)})

    def _ask(self, method: str, file: str, take: Callable[[List[str], Any], None],
             params: Callable[[List[str]], Dict[str, Any]]) -> None:
        """Asks about a file. `params` gets the lines that the server has of it, and so does `take`, with the answer."""
        self._send_texts()
        file = absolute(file)
        lines = self._texts.get(file)
        if self._process is None or lines is None:
            take([], None)
            return
        known = lines
        self._request(method, lambda answer: take(known, answer), textDocument={"uri": _uri(file)}, **params(lines))

    def _place(self, location: Dict[str, Any]) -> Optional[Place]:
        """The place of a `Location`: its lines may be those of a file that is not open."""
        file = absolute(QUrl(str(location.get("uri", ""))).toLocalFile())
        lines = self._texts.get(file) or lines_of_file(file)
        if lines is None:
            return None
        line, character = _position(location, "start")
        text = lines[line] if line < len(lines) else ""
        return file, line + 1, len(text_before(text, character)) + 1

    def _send_texts(self) -> None:
        """Tells the server what has changed in the editor."""
        self._timer.stop()
        editor = self._editor
        now: Dict[str, List[str]] = {}
        for file in editor.open_files() if editor is not None else ():
            lines = editor.text_lines(file) if editor is not None and file.endswith(".ez") else None
            if lines is not None:
                now[absolute(file)] = lines
        if now and not self._start():
            return
        before, self._texts = self._texts, now
        for file in before.keys() - now.keys():
            self._notify("textDocument/didClose", textDocument={"uri": _uri(file)})
        for file, lines in now.items():
            self._version += 1
            uri, text = _uri(file), "\n".join(lines)
            if file not in before:
                self._notify("textDocument/didOpen", textDocument={
                    "uri": uri, "languageId": "ez", "version": self._version, "text": text})
            elif before[file] != lines:
                self._notify("textDocument/didChange", textDocument={"uri": uri, "version": self._version},
                             contentChanges=[{"text": text}])

    def _start(self) -> bool:
        """Whether the process runs, after it was started if it does not."""
        if self._process is not None:
            return True
        if self._starts >= _MOST_STARTS:
            return False
        self._starts += 1
        try:
            program = list(self._program())
        except DebuggerError:
            return False
        process = QProcess(self)
        process.setStandardErrorFile(QProcess.nullDevice())
        process.readyReadStandardOutput.connect(self._read)
        process.finished.connect(self._drop)
        process.errorOccurred.connect(self._drop)
        self._process = process
        process.start(program[0], [*program[1:], "lsp"])
        if self._process is None:
            return False
        self._request("initialize", lambda _: None, processId=None, rootUri=None, capabilities={
            "textDocument": {"hover": {"contentFormat": ["plaintext"]}}})
        self._notify("initialized")
        return True

    def _drop(self, *_: Any) -> None:
        """The process has ended, or is ended: it may be started again when the text changes."""
        process, self._process = self._process, None
        self._received, self._texts = b"", {}
        if process is None:
            return
        process.blockSignals(True)
        process.kill()
        process.waitForFinished(_KILL_MS)
        process.deleteLater()
        answers, self._answers = self._answers, {}
        for take in answers.values():
            take(None)
        for file in [file for file, wrong in self._wrong.items() if wrong]:
            self._report(file, [])

    def _request(self, method: str, take: Callable[[Any], None], **params: Any) -> None:
        self._id += 1
        self._answers[self._id] = take
        self._send({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})

    def _notify(self, method: str, **params: Any) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def _send(self, message: Dict[str, Any]) -> None:
        if self._process is not None:
            # A lone half of a pair in the text is no Unicode: the escape that JSON has for it is.
            body = json.dumps(message).encode("ascii")
            self._process.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def _read(self) -> None:
        if self._process is not None:
            self._received += self._process.readAllStandardOutput().data()
        while self._process is not None:
            try:
                body, self._received = _first_message(self._received)
                message = json.loads(body) if body is not None else None
            except ValueError:
                # Not a language server.
                self._starts = _MOST_STARTS
                self._drop()
                return
            if message is None:
                return
            if isinstance(message, dict):
                self._take(message)

    def _take(self, message: Dict[str, Any]) -> None:
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message.get("params") or {}
            file = absolute(QUrl(str(params.get("uri", ""))).toLocalFile())
            lines = self._texts.get(file)
            lines = lines if lines is not None else lines_of_file(file) or []
            self._report(file, [_problem(file, one, lines) for one in params.get("diagnostics") or []])
        elif "method" not in message:
            answer = self._answers.pop(message.get("id", 0), None)
            if answer is not None:
                answer(message.get("result"))

    def _report(self, file: str, wrong: List[Problem]) -> None:
        self._wrong[file] = wrong
        self.reported.emit(file, wrong)


def _uri(file: str) -> str:
    return QUrl.fromLocalFile(file).toString(QUrl.ComponentFormattingOption.FullyEncoded)


def _first_message(data: bytes) -> Tuple[Optional[bytes], bytes]:
    """The body of the first message, None if it has not come completely, and what is left.

    Raises `ValueError` if this is no message."""
    header, end, rest = data.partition(b"\r\n\r\n")
    if not end:
        if len(data) > 4096:
            raise ValueError("no end of the header")
        return None, data
    fields = dict(line.lower().split(b":", 1) for line in header.split(b"\r\n"))
    length = int(fields.get(b"content-length", b""))
    if not 0 <= length <= _LONGEST:
        raise ValueError("a length that no message has")
    return (rest[:length], rest[length:]) if len(rest) >= length else (None, data)


def _problem(file: str, diagnostic: Dict[str, Any], lines: Sequence[str]) -> Problem:
    """What a diagnostic says."""
    line, character = _position(diagnostic, "start")
    text = lines[line] if line < len(lines) else ""
    message, _, help_text = str(diagnostic.get("message", "")).partition("\nhelp: ")
    kind = ERROR if diagnostic.get("severity", 1) == 1 else WARNING
    return Problem(kind, message, file, line + 1, len(text_before(text, character)) + 1, str(diagnostic.get("code") or ""), help_text, True)


def _position(with_range: Dict[str, Any], end: str) -> Tuple[int, int]:
    place = with_range["range"][end]
    return int(place["line"]), int(place["character"])


def _order(item: Dict[str, Any]) -> str:
    return str(item.get("sortText") or item["label"])


def _offer(item: Dict[str, Any]) -> Offer:
    label = str(item["label"])
    own = item.get("textEdit") or {}
    text = str(own.get("newText") or item.get("insertText") or label)
    edits = tuple(_edit(edit) for edit in item.get("additionalTextEdits") or [])
    return Offer(label, text, str(item.get("detail") or ""), edits)


def _edit(edit: Dict[str, Any]) -> TextEdit:
    return TextEdit(*_position(edit, "start"), *_position(edit, "end"), str(edit["newText"]))


def _at(lines: Sequence[str], line: int, column: int) -> Dict[str, int]:
    """A position as the protocol has it, of a line and a column in code points that count from 1."""
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    return {"line": line - 1, "character": units(text[:column - 1])}


def _fix(file: str, lines: Sequence[str], action: Dict[str, Any]) -> Optional[Fix]:
    """The fix that a code action is; None if it changes anything but the file."""
    changes = (action.get("edit") or {}).get("changes") or {}
    if list(changes) != [_uri(absolute(file))]:
        return None
    edits = tuple(_edit(edit) for found in changes.values() for edit in found)
    return Fix(str(action.get("title", "")), tuple(lines), edits)
