// Objects as people name them on the command line: `task/NAME`, `task NAME …`, `sched`.
import { findKind, kinds } from '@svc/shared/kinds';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { usageError } from './exit-codes.ts';
import type { Hint } from './program-name.ts';

export interface NamedObject {
  readonly kind: KindDefinition;
  readonly name: string;
}

/** `AgentSystem` → `agent-system`: how svcctl writes a kind in front of a name. */
export function kindWord(kind: string): string {
  return kind.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase();
}

/** `agent-system/pipeline`. */
export const objectWord = (kind: string, name: string): string => `${kindWord(kind)}/${name}`;

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(substitution, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}

/** The candidate a mistyped word most likely meant, when one is near. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word.toLowerCase(), candidate) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best && best.distance <= Math.max(1, Math.floor(word.length / 3)) ? best.candidate : undefined;
}

const LIST_KINDS: Hint = (svcctl) => `list the kinds with "${svcctl} api-resources"`;

export function kindFromWord(word: string): KindDefinition {
  const kind = findKind(word);
  if (kind) return kind;
  const words = kinds.flatMap((each) => [each.plural, kindWord(each.kind), each.kind.toLowerCase()]);
  const near = nearest(word, words);
  throw usageError(`there is no kind "${word}"`, near ? `did you mean "${near}"?` : LIST_KINDS);
}

export function objectFromWord(word: string): NamedObject {
  const [kind, name, ...rest] = word.split('/');
  if (!kind || !name || rest.length > 0)
    throw usageError(`"${word}" does not name an object`, 'write it as KIND/NAME, such as task/report');
  return { kind: kindFromWord(kind), name };
}

/** `KIND`, `KIND NAME…` or `KIND/NAME…`: a kind with no names means all of it. */
export function parseTargets(words: readonly string[]): { kind: KindDefinition } | { objects: NamedObject[] } {
  const [first, ...names] = words;
  if (first === undefined) throw usageError('no kind given', LIST_KINDS);
  if (first.includes('/')) return { objects: words.map(objectFromWord) };
  const kind = kindFromWord(first);
  if (names.length === 0) return { kind };
  const slashed = names.find((name) => name.includes('/'));
  if (slashed) throw usageError(`"${slashed}" is not a name`, `write either "${first} NAME…" or "KIND/NAME…"`);
  return { objects: names.map((name) => ({ kind, name })) };
}
