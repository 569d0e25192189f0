// Titles of kinds on screen: the kind's own, or one made of its path segment (`agent-systems` → "Agent systems"). Pure.
import type { KindSummary } from './kind-summary.ts';

const ACRONYMS: Readonly<Record<string, string>> = { mcp: 'MCP', api: 'API', a2a: 'A2A' };

function sentenceCase(parts: readonly string[]): string {
  const words = parts.map((part, index) => {
    const lower = part.toLowerCase();
    return ACRONYMS[lower] ?? (index === 0 ? lower.charAt(0).toUpperCase() + lower.slice(1) : lower);
  });
  return words.join(' ');
}

/** Plural title: "Agent systems". */
export function kindsTitle(kind: Pick<KindSummary, 'title' | 'plural'>): string {
  return kind.title?.many ?? sentenceCase(kind.plural.split('-'));
}

/** Singular title: "Agent system". */
export function kindTitle(kind: Pick<KindSummary, 'title' | 'kind'>): string {
  return kind.title?.one ?? sentenceCase(kind.kind.split(/(?<=[a-z])(?=[A-Z])/));
}

/** Word for the number of a specification: its version, if replaced ones are kept. */
export function generationWord(kind: Pick<KindSummary, 'keepsVersions'> | undefined): string {
  return kind?.keepsVersions ? 'version' : 'generation';
}
