// Isolation mode of a Tool that sets none, for the write path, the tool runtimes and the console. Pure.

const RISKY: ReadonlySet<unknown> = new Set(['high', 'critical']);

/** The McpServer of a tool of type mcp decides where that tool runs, and the agent of a tool of type a2a runs elsewhere. A module of type wasm always runs in its own sandbox, so `sandboxed` is no default for it at any risk. */
export function isolationDefault(type: string, risk: unknown): 'container' | 'wasm' | 'sandboxed' | 'none' {
  if (type === 'cli') return 'container';
  if (type === 'wasm') return 'wasm';
  if (type === 'mcp' || type === 'a2a') return 'none';
  return RISKY.has(risk) ? 'sandboxed' : 'none';
}
