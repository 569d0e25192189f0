// Titles of kinds on screen, made of their path segment: `agent-systems` → "Agent systems". Pure.
import type { KindSummary } from './kind-summary.ts';

const ACRONYMS: Readonly<Record<string, string>> = { mcp: 'MCP', api: 'API', a2a: 'A2A' };

function sentenceCase(parts: readonly string[]): string {
  const words = parts.map((part, index) => {
    const lower = part.toLowerCase();
    return ACRONYMS[lower] ?? (index === 0 ? lower.charAt(0).toUpperCase() + lower.slice(1) : lower);
  });
  return words.join(' ');
}

/** Kinds whose titles differ from their resource names. */
const TITLES: Readonly<Record<string, { readonly one: string; readonly many: string }>> = { Task: { one: 'Run', many: 'Runs' } };

/** Plural title: "Agent systems". */
export function kindsTitle(kind: Pick<KindSummary, 'kind' | 'plural'>): string {
  return TITLES[kind.kind]?.many ?? sentenceCase(kind.plural.split('-'));
}

/** Singular title: "Agent system". */
export function kindTitle(kind: Pick<KindSummary, 'kind'>): string {
  return TITLES[kind.kind]?.one ?? sentenceCase(kind.kind.split(/(?<=[a-z])(?=[A-Z])/));
}
