"""The EZ IDE with the panels of `ez_debugger.qt` in place of its own.

    python -m ez_debugger.ez_ide [FOLDER_OF_THE_IDE] [--ez PROGRAM]

The IDE is not changed: what its module `app.main_window` names (the debug session and the debug panel) is replaced
before its window is made.
"""
