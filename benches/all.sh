#!/bin/sh
# Builds the release binary and prints one table of what users wait for, beside what they would use instead
# (benches/table.py, which takes the arguments). With --each as the first one, then also what each script tells about
# its part, and the micro-benchmarks. Needs gcc, lua5.4 and python3, and for some rows debugpy.
set -e
cd "$(dirname "$0")/.."
cargo build --release
each=
if [ "$1" = --each ]; then
    each=yes
    shift
fi
python3 benches/table.py "$@"
[ -n "$each" ] || exit 0
for script in "compare.py --attached --python" debug.py dap.py lsp.py history.py library.py limits.py cases.py; do
    echo "== $script"
    python3 benches/$script
    echo
done
echo "== micro-benchmarks"
cargo bench --bench micro
