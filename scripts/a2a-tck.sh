#!/usr/bin/env bash
# Runs the compatibility kits of A2A against a running server. They are Python programs that npm does not have:
#   A2A_TCK_10  checkout of a2aproject/a2a-tck, branch 1.0-dev, with its environment made (uv sync)
#   A2A_TCK_03  checkout of a2aproject/a2a-tck, branch 0.3.x, with its environment made
# usage: scripts/a2a-tck.sh http://127.0.0.1:8080/v1/agent-systems/tck [more options of the kit]
# The kit for 0.3 posts to its own address and reads the card at the origin: it gets <origin>/a2a, so the system must be the only open one.
# The system must complete messages and steer by a2a_message_id, as scenarios/ of the kit describes.
set -euo pipefail
url=${1:?the address of the system, whose Agent Card is below it}
shift
status=0
run() { # name, checkout, arguments
  local name=$1 dir=$2
  shift 2
  if [ -z "$dir" ] || [ ! -f "$dir/run_tck.py" ]; then
    echo "skipped: $name needs its checkout" >&2
    status=1
    return
  fi
  local python="$dir/.venv/bin/python"
  [ -x "$python" ] || python=python3
  (cd "$dir" && "$python" run_tck.py "$@") || status=1
}
run 'a2a-tck 1.0' "${A2A_TCK_10:-}" --sut-host "$url" --transport jsonrpc --level must "$@"
run 'a2a-tck 0.3' "${A2A_TCK_03:-}" --sut-url "${url%%/v1/*}/a2a" --category mandatory "$@"
exit "$status"
