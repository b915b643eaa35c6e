"""A debugger for PyQt6 programs: a session with signals, and panels.

    session = DebugSession()
    panel = DebuggerPanel(session)
    panel.attach_editor(PlainTextAdapter(editor, "sort.ez"))
    panel.launch = Launch(file="sort.ez")
    panel.start()

`DebugSession` is `ez debugserver` in a `QProcess`, with a signal for what happens and a method for each command.
Each panel is a widget of its own; `DebuggerPanel` has all of them. Everything lives in the thread of the windows.
"""

from .actions import DebugActions
from .breakpoint_store import BreakpointStore, ErrorStop, UserBreakpoint
from .breakpoints import BreakpointsPanel
from .calls import CallsPanel
from .cases import CasesPanel
from .console import ConsolePanel
from .editor import EditorAdapter
from .language_server import LanguageServer
from .launch import Launch
from .launch_options import LaunchOptions
from .notices import Notices
from .offer import Offer
from .panel import DebuggerPanel
from .plain_text import PlainTextAdapter
from .problem import Problem
from .problems import ProblemsPanel
from .processes import ProcessPanels
from .program_text import ProgramTexts
from .remembered import Remembered
from .session import DebugSession
from .state import SessionState
from .time_bar import TimeBar
from .tool_bar import DebugToolBar
from .value_model import ValueModel
from .value_view import ValueView
from .variables import VariablesPanel
from .watches import WatchesPanel

__all__ = [
    "BreakpointStore",
    "BreakpointsPanel",
    "CallsPanel",
    "CasesPanel",
    "ConsolePanel",
    "DebugActions",
    "DebugSession",
    "DebugToolBar",
    "DebuggerPanel",
    "EditorAdapter",
    "ErrorStop",
    "LanguageServer",
    "Launch",
    "LaunchOptions",
    "Notices",
    "Offer",
    "PlainTextAdapter",
    "Problem",
    "ProblemsPanel",
    "ProcessPanels",
    "ProgramTexts",
    "Remembered",
    "SessionState",
    "TimeBar",
    "UserBreakpoint",
    "ValueModel",
    "ValueView",
    "VariablesPanel",
    "WatchesPanel",
]
