#!/bin/sh
# Builds and runs all benchmarks: whole programs beside their Lua and Python twins, what debugging costs,
# the library beside CPython, start and growth, and the parts one by one. Needs gcc, lua5.4 and python3.
set -e
cd "$(dirname "$0")/.."
cargo build --release
for script in "compare.py --attached --python" debug.py dap.py history.py library.py limits.py; do
    echo "== $script"
    python3 benches/$script
    echo
done
echo "== micro-benchmarks"
cargo bench --bench micro
