#!/bin/sh
# A debug session without a client: commands go in through a pipe, events come out as lines.
# At the end of the commands a stopped program is ended; a running one runs on to its end.
#
#     examples/pipe.sh [EZ]            (EZ: the binary; without it, Cargo builds and runs the debug build)
#
# Where there is no shell: cargo run --example session

cd "$(dirname "$0")" || exit 1
if [ $# -eq 0 ]; then
    set -- cargo run --quiet --manifest-path ../Cargo.toml --
fi

printf '%s\n' \
    '{"type":"command","command":"initialize","params":{"file":"factorial.ez"}}' \
    '{"type":"command","command":"setBreakpoint","params":{"file":"factorial.ez","line":7}}' \
    '{"type":"command","command":"start"}' \
    '{"type":"command","command":"getStackTrace"}' \
    '{"type":"command","command":"getVariables"}' \
    '{"type":"command","command":"stepOut"}' \
    '{"type":"command","command":"clearBreakpoint","params":{"file":"factorial.ez","line":7}}' \
    '{"type":"command","command":"continue"}' |
    "$@" debugserver factorial.ez
