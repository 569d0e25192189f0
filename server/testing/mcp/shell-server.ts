// An MCP server of 2025 as a script for busybox, for images that hold nothing else: reports its surroundings, ends itself, and keeps running without input.

/** Answers by patterns: enough for a client that sends one request per line. */
const SCRIPT = String.raw`
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
say() { answer "{\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
tool() { printf '{"name":"%s","inputSchema":{"type":"object"}}' "$1"; }
surroundings() {
  root=read-only; touch /x 2>/dev/null && root=writable
  caps=$(grep CapEff /proc/self/status | tr -d '\t' | cut -d: -f2)
  echo "uid=$(id -u) caps=$caps root=$root interfaces=$(ls /sys/class/net | tr '\n' ' ')"
}
echo "shell server starts" >&2
while read -r line; do
  id=$(echo "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"shell","version":"1"}}' ;;
    *'"tools/list"'*) answer "{\"tools\":[$(tool where),$(tool variables),$(tool die),$(tool eat)]}" ;;
    *'"name":"where"'*) say "$(surroundings)" ;;
    *'"name":"variables"'*) say "$(env | grep -v '^_=' | sort | tr '\n' ' ')" ;;
    *'"name":"die"'*) echo "out of ideas" >&2; exit 3 ;;
    *'"name":"eat"'*) v=0123456789; while :; do v=$v$v; done ;;
    *'"id"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}\n' "$id" ;;
  esac
done
`;

/** Command line of the server; `deaf`: it ignores SIGTERM and the end of its input. */
export function shellServer({ deaf = false } = {}): { readonly command: string; readonly args: readonly string[] } {
  return { command: '/bin/sh', args: ['-c', deaf ? `trap '' TERM; ${SCRIPT} sleep 600` : SCRIPT] };
}
