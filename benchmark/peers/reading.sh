#!/usr/bin/env bash
# Times the compiler beside a tool that makes types of the same descriptions, as whole processes in turn, and beside
# parsing them into a plain tree, in one process. Prints medians and ratios.
#
#   benchmark/peers/reading.sh FILE...
#
# Needs Rust, node and npm; what it installs goes to a folder of its own, which is removed, unless PEERS names one.
# RUNS sets how often each is run (5).
set -euo pipefail
[ $# -gt 0 ] || { echo "usage: benchmark/peers/reading.sh FILE..." >&2; exit 1; }
runs=${RUNS:-5}
files=()
for file in "$@"; do files+=("$(realpath "$file")"); done
cd "$(dirname "$0")/../.."

[ -n "${BUILT:-}" ] || cargo build --release --quiet --locked -p provely
[ -n "${BUILT:-}" ] || cargo build --release --quiet --locked -p provely-compiler --example reading
target=${CARGO_TARGET_DIR:-target}

peers=${PEERS:-}
if [ -z "$peers" ]; then
    peers=$(mktemp -d)
    trap 'rm -rf "$peers"' EXIT
fi
if [ ! -d "$peers/node_modules/openapi-typescript" ]; then
    (cd "$peers" && npm init -y >/dev/null &&
        npm install --no-audit --no-fund --silent openapi-typescript@7.13.0 typescript@5)
fi

# Milliseconds of one run, and its peak memory in megabytes where `time` is installed.
once() {
    local begin end memory=0
    begin=$(date +%s%N)
    if [ -x /usr/bin/time ]; then
        /usr/bin/time -f %M -o "$peers/memory" "$@" >"$peers/said" 2>&1 || failed "$@"
        memory=$(($(tail -1 "$peers/memory") / 1024))
    else
        "$@" >"$peers/said" 2>&1 || failed "$@"
    fi
    end=$(date +%s%N)
    echo "$(((end - begin) / 1000000)) $memory"
}

failed() {
    { echo "this failed: $*"; tail -5 "$peers/said"; } >&2
    kill $$
}

median() { sort -n | awk '{ all[NR] = $1; memory[NR] = $2 } END { print all[int((NR + 1) / 2)], memory[int((NR + 1) / 2)] }'; }

echo "load $(cut -d' ' -f1-3 /proc/loadavg 2>/dev/null || echo unknown), $runs runs each, in turn"
printf '%-36s %12s %12s %9s %9s %7s\n' description 'provely ms' 'peer ms' 'MB' 'peer MB' ratio
for file in "${files[@]}"; do
    ours=() theirs=()
    for ((run = 0; run < runs; run++)); do
        ours+=("$(once "$target/release/provely" skill generate --openapi "$file" --until synthesise)")
        theirs+=("$(once node "$peers/node_modules/openapi-typescript/bin/cli.js" "$file" -o "$peers/types.d.ts")")
    done
    read -r own own_memory < <(printf '%s\n' "${ours[@]}" | median)
    read -r peer peer_memory < <(printf '%s\n' "${theirs[@]}" | median)
    printf '%-36s %12s %12s %9s %9s %7s\n' "$(basename "$file")" "$own" "$peer" "$own_memory" "$peer_memory" \
        "$(awk "BEGIN { printf \"%.1f\", $peer / ($own > 0 ? $own : 1) }")"
done

echo
"$target/release/examples/reading" "${files[@]}"
