#!/usr/bin/env bash
# Serves the same read and the same create from one description: the simulator beside two other stand-ins, one after the
# other, under the same load. Prints requests a second, the slowest of a hundred, and the memory of each.
#
#   benchmark/peers/serving.sh DESCRIPTION
#
# Needs Rust, node, npm, python3 and wrk (`apt-get install wrk`); what it installs goes to a folder of its own, which is
# removed, unless PEERS names one. DESCRIPTION is an OpenAPI description that has `/v1/customers`. SECONDS_EACH sets how
# long each is loaded (5). A peer that does not answer within 120 seconds counts as 0.
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: benchmark/peers/serving.sh DESCRIPTION" >&2; exit 1; }
description=$(realpath "$1")
seconds=${SECONDS_EACH:-5}
cd "$(dirname "$0")/../.."
command -v wrk >/dev/null || { echo "wrk is missing: apt-get install wrk" >&2; exit 1; }
[ -n "${BUILT:-}" ] || cargo build --release --quiet --locked -p provely
target=${CARGO_TARGET_DIR:-target}

peers=${PEERS:-}
served=
stop() { [ -z "$served" ] || { kill -- -"$served" 2>/dev/null || true; wait "$served" 2>/dev/null || true; served=; }; }
trap 'stop; [ -n "${PEERS:-}" ] || rm -rf "$peers"' EXIT
[ -n "$peers" ] || peers=$(mktemp -d)
if [ ! -x "$peers/node_modules/.bin/prism" ]; then
    (cd "$peers" && npm init -y >/dev/null && npm install --no-audit --no-fund --silent @stoplight/prism-cli)
fi
if [ ! -x "$peers/py/bin/localstripe" ]; then
    python3 -m venv "$peers/py"
    "$peers/py/bin/pip" --quiet install localstripe
fi

cat >"$peers/create.lua" <<'LUA'
wrk.method = "POST"
wrk.body = "email=ada%40example.test&name=Ada"
wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"
LUA

authorization="Authorization: Bearer sk_test_12345"

# Requests a second, the slowest of a hundred, and how many were no success.
load() {
    wrk -t2 -c16 -d"${seconds}s" --latency -H "$authorization" "$@" |
        awk '/Requests\/sec/ { rate = $2 } /99%/ { slow = $2 } /Non-2xx/ { bad = $NF } END { print rate, slow, bad + 0 }'
}

memory() { ps -o rss= --pid "$served" --ppid "$served" | awk '{ sum += $1 } END { print int(sum / 1024) }'; }

# serve NAME PORT COMMAND...
serve() {
    local name=$1 port=$2 id begin
    shift 2
    setsid "$@" >"$peers/$name.log" 2>&1 &
    served=$!
    begin=$(date +%s%N)
    until id=$(curl -sf -m 5 -H "$authorization" -d email=ada%40example.test "http://127.0.0.1:$port/v1/customers" |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["id"])' 2>/dev/null); do
        if [ $((($(date +%s%N) - begin) / 1000000000)) -ge 120 ]; then
            printf '%-14s %12s\n' "$name" "not ready in 120 s: 0"
            stop
            return
        fi
        sleep 0.2
    done
    local ready=$((($(date +%s%N) - begin) / 1000000))
    local read_rate read_slow read_bad rate slow bad
    read -r read_rate read_slow read_bad < <(load "http://127.0.0.1:$port/v1/customers/$id")
    read -r rate slow bad < <(load -s "$peers/create.lua" "http://127.0.0.1:$port/v1/customers")
    printf '%-14s %8s %10s %9s %6s %10s %9s %6s %6s\n' \
        "$name" "$ready" "$read_rate" "$read_slow" "$read_bad" "$rate" "$slow" "$bad" "$(memory)"
    stop
}

echo "load $(cut -d' ' -f1-3 /proc/loadavg 2>/dev/null || echo unknown), $seconds s each, 2 threads, 16 connections"
printf '%-14s %8s %10s %9s %6s %10s %9s %6s %6s\n' \
    server "ready ms" "reads/s" "p99" "bad" "creates/s" "p99" "bad" "MB"
serve provely 4110 "$target/release/provely" simulate --openapi "$description" --port 4110
serve localstripe 4111 "$peers/py/bin/localstripe" --port 4111
serve prism 4112 "$peers/node_modules/.bin/prism" mock -p 4112 "$description"
