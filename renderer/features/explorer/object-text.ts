// Text about objects and their numbers. Pure.
import { kindTitle, kindsTitle } from '../../kinds/kind-titles.ts';
import { kindNamed } from '../../kinds/kind-table.ts';
import { formatNumber } from '../../ui/status/format.ts';

/** Acronyms keep their capitals inside a sentence, and Session and Secret: a sign-in is a session too, a secret value no Secret. */
function inSentence(title: string): string {
  return /^([A-Z]{2}|(Session|Secret)s?$)/.test(title) ? title : title.charAt(0).toLowerCase() + title.slice(1);
}

/** The kind inside a sentence: `agent system`, `agent systems`, `MCP servers`. */
export function kindWord(kind: string, count: number): string {
  const known = kindNamed(kind);
  if (!known) return kind;
  return inSentence(count === 1 ? kindTitle(known) : kindsTitle(known));
}

/** With its article: `an agent`, `a tool`, `an MCP server`. */
export function aKind(kind: string): string {
  const word = kindWord(kind, 1);
  return `${/^(?:[aeiou]|MCP)/i.test(word) ? 'an' : 'a'} ${word}`;
}

/** `1 agent`, `128 agents`, `10,000+ agents`. */
export function countOf(kind: string, count: number, more = false): string {
  return `${formatNumber(count)}${more ? '+' : ''} ${kindWord(kind, more ? 2 : count)}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? '';
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** Objects counted by kind, the most frequent first: `3 agents and 1 agent system`. */
export function countsByKind(objects: readonly { readonly kind: string }[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of objects) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return listed(sorted.map(([kind, count]) => countOf(kind, count)));
}
