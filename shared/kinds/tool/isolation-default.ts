// Isolation mode of a Tool that sets none, and the one that its calls have, for the write path and the tool runtimes. Pure.
import type { ToolSpec } from './normalize.ts';

const RISKY: ReadonlySet<unknown> = new Set(['high', 'critical']);

export function isolationDefault(type: string, risk: unknown): 'container' | 'sandboxed' | 'none' {
  if (type === 'cli') return 'container';
  return RISKY.has(risk) ? 'sandboxed' : 'none';
}

/** Modes of types that run in one place whatever their Tool says: a module has its own sandbox, the McpServer decides for its tools, and agents and memories run elsewhere. */
const FIXED: ReadonlyMap<string, string> = new Map([
  ['wasm', 'wasm'],
  ['mcp', 'none'],
  ['a2a', 'none'],
  ['memory', 'none'],
]);

/** Isolation that the calls of a Tool have. */
export function isolationOf({ type, runtime }: Pick<ToolSpec, 'type' | 'runtime'>): string {
  return FIXED.get(type) ?? runtime.isolation_mode;
}
