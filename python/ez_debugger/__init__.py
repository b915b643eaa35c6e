"""A client of the debugger of the EZ language.

* `ez_debugger.protocol`: the protocol of `ez debugserver`, without input and output
* `ez_debugger.client`: sessions for scripts, graders and tests
"""
