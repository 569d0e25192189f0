// Objects as people name them on the command line: `task/NAME`, `task NAME …`, `sched`.
import { findKind, kinds } from '@svc/shared/kinds';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { nearestWord } from '@svc/shared/nearest-word';
import { usageError } from '../program/exit-codes.ts';
import type { Hint } from '../program/program-name.ts';

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

/** A Task that the server names as NAMESPACE/NAME: the word that commands take. */
export const taskWord = (reference: string): string => `task/${reference.slice(reference.indexOf('/') + 1)}`;

const LIST_KINDS: Hint = (svcctl) => `list the kinds with "${svcctl} api-resources"`;

/** Commands for words that are not kinds here but may be kinds in other tools. */
const COMMANDS_INSTEAD: ReadonlyMap<string, string> = new Map([
  ['approvals', 'approvals list'],
  ['events', 'events'],
  ['namespaces', 'namespaces'],
  ['ns', 'namespaces'],
  ['tokens', 'tokens list'],
  ['users', 'users list'],
]);

export function kindFromWord(word: string): KindDefinition {
  const kind = findKind(word);
  if (kind) return kind;
  const instead = COMMANDS_INSTEAD.get(word.toLowerCase()) ?? COMMANDS_INSTEAD.get(`${word.toLowerCase()}s`);
  if (instead !== undefined) throw usageError(`there is no kind "${word}"`, (svcctl) => `did you mean "${svcctl} ${instead}"?`);
  const near = nearestWord(
    word,
    kinds.flatMap((each) => [each.plural, kindWord(each.kind)]),
  );
  throw usageError(`there is no kind "${word}"`, near ? `did you mean "${near}"?` : LIST_KINDS);
}

export function objectFromWord(word: string): NamedObject {
  const [kind, name, ...rest] = word.split('/');
  if (!kind || !name || rest.length > 0)
    throw usageError(`"${word}" does not name an object`, 'write it as KIND/NAME, such as task/report');
  return { kind: kindFromWord(kind), name };
}

/** Kinds, of which all objects are meant, or objects by their names. */
export type Targets = { readonly kinds: readonly KindDefinition[] } | { readonly objects: readonly NamedObject[] };

/** `agents,tools`; `all` stands for every kind. */
function kindsFromWord(word: string): readonly KindDefinition[] {
  if (word.toLowerCase() === 'all') return kinds;
  return [...new Set(word.split(',').map(kindFromWord))];
}

/** `KIND[,KIND…]`, `KIND NAME…` or `KIND/NAME…`: kinds with no names mean all of them. */
export function parseTargets(words: readonly string[]): Targets {
  const [first, ...names] = words;
  if (first === undefined) throw usageError('no kind given', LIST_KINDS);
  if (first.includes('/')) return { objects: words.map(objectFromWord) };
  const named = kindsFromWord(first);
  if (names.length === 0) return { kinds: named };
  const slashed = names.find((name) => name.includes('/'));
  if (slashed) throw usageError(`"${slashed}" is not a name`, `write either "${first} NAME…" or "KIND/NAME…"`);
  return { objects: named.flatMap((kind) => names.map((name) => ({ kind, name }))) };
}

/** The one object of a command line that names one. */
export function namedTarget(words: readonly string[]): NamedObject {
  const targets = parseTargets(words);
  const [object, ...others] = 'objects' in targets ? targets.objects : [];
  if (!object || others.length > 0)
    throw usageError(object ? 'one object at a time' : 'which one?', 'write KIND/NAME, such as task/report');
  return object;
}

/** The kinds in a sentence: `agents and tools`, or `objects` for more than three. */
export function kindsText(several: readonly KindDefinition[]): string {
  if (several.length > 3) return 'objects';
  return several.map(({ plural }) => plural).join(' and ');
}
