"""A client of the debugger of the EZ language.

* `ez_debugger.protocol`: the protocol of `ez debugserver`, without input and output
* `ez_debugger.client`: sessions for scripts, graders and tests
* `ez_debugger.qt`: a session and panels for PyQt6 programs (needs PyQt6)
* `ez_debugger.kernel`: the kernel for Jupyter (`python -m ez_debugger.kernel`)
* `ez_debugger.ez_ide`: the EZ IDE with these panels (`python -m ez_debugger.ez_ide`)
"""
