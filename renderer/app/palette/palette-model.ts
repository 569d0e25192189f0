// Modes of the command palette, and its matching of entries with the typed text. Pure.

import { mayAct } from '../../kinds/kind-table.ts';

export type PaletteMode = 'search' | 'actions' | 'namespaces' | 'kinds' | 'help';

const MODES: Readonly<Record<string, PaletteMode>> = { '>': 'actions', '@': 'namespaces', '#': 'kinds', '?': 'help' };

export const MODE_HINTS: readonly { readonly prefix: string; readonly label: string }[] = [
  { prefix: '>', label: 'Run an action' },
  { prefix: '@', label: 'Switch namespace' },
  { prefix: '#', label: 'Go to a kind' },
  { prefix: '?', label: 'Help' },
];

/** The first character chooses the mode; the rest is the search text. */
export function readPalette(text: string): { readonly mode: PaletteMode; readonly query: string } {
  const mode = MODES[text.charAt(0)];
  return mode ? { mode, query: text.slice(1).trim() } : { mode: 'search', query: text.trim() };
}

/** Verbs that may precede a name. */
const VERB = /^(run|chat with|chat|edit|open|cancel|retry)\s+(\S.*)$/i;

export type PaletteVerb = 'run' | 'chat' | 'edit' | 'open' | 'cancel' | 'retry' | 'suspend' | 'resume';

/** Kinds of the objects that a verb applies to; `open` applies to all. */
const VERB_KINDS: Readonly<Partial<Record<PaletteVerb, string>>> = {
  run: 'AgentSystem',
  chat: 'AgentSystem',
  edit: 'AgentSystem',
  cancel: 'Task',
  retry: 'Task',
};

export interface NameQuery {
  readonly verb?: PaletteVerb;
  /** Text for the search by name. */
  readonly text: string;
}

/** A verb with a part of a name, or a part of a name alone. Names have no spaces, so no name is hidden by a verb. */
export function readNames(query: string): NameQuery {
  const [, word = '', name = ''] = VERB.exec(query) ?? [];
  if (name === '') return { text: query };
  const verb = word.toLowerCase().split(' ')[0] as PaletteVerb;
  const kind = VERB_KINDS[verb];
  return { verb, text: kind === undefined || name.includes(':') ? name : `${kind}:${name}` };
}

export interface DecisionQuery {
  readonly verb: 'approve' | 'deny';
  /** In lower case; all belong to the approval. */
  readonly words: readonly string[];
}

/** `approve …` and `deny …`: approvals are searched by what they are about, as their names are hashes. */
export function readDecision(query: string): DecisionQuery | undefined {
  const [verb, ...words] = query.toLowerCase().split(/\s+/);
  return verb === 'approve' || verb === 'deny' ? { verb, words } : undefined;
}

/** Objects that a verb applies to, while no name is typed. */
export interface VerbList {
  readonly verb: PaletteVerb;
  readonly lists: readonly {
    readonly kind: string;
    readonly order: string;
    readonly fieldSelector?: string;
    readonly nameContains?: string;
  }[];
}

const UNENDED = 'spec.mode=run,status.phase!=Succeeded,status.phase!=Failed,status.phase!=DeadLetter';
const UNSUCCESSFUL = 'status.phase!=Succeeded,status.phase!=Pending,status.phase!=Running,status.phase!=WaitingApproval';
const SUSPENDABLE = ['TaskSchedule', 'TaskWebhook', 'Worker'];

/** Lists of a verb alone; for `suspend` and `resume` of the names that contain the next word. */
export function readVerbList(query: string): VerbList | undefined {
  const [verb = '', name = '', ...rest] = query.toLowerCase().split(/\s+/);
  const newest = { kind: 'Task', order: '-createdAt' };
  switch (verb) {
    case 'suspend':
    case 'resume':
      if (rest.length > 0) return undefined;
      return { verb, lists: SUSPENDABLE.map((kind) => ({ kind, order: 'name', ...(name !== '' && { nameContains: name }) })) };
    case 'run':
    case 'chat':
    case 'edit':
      return name === '' ? { verb, lists: [{ kind: 'AgentSystem', order: 'name' }] } : undefined;
    case 'cancel':
      return name === '' ? { verb, lists: [{ ...newest, fieldSelector: UNENDED }] } : undefined;
    case 'retry':
      return name === '' ? { verb, lists: [{ ...newest, fieldSelector: UNSUCCESSFUL }] } : undefined;
    default:
      return undefined;
  }
}

interface VerbTarget {
  readonly kind: string;
  readonly phase?: string | undefined;
  /** Absent where it is not known, or cannot be suspended. */
  readonly suspended?: boolean | undefined;
}

/** Verbs offered for a hit: those that make sense for its kind and state. */
export function verbsOf({ kind, phase, suspended }: VerbTarget): readonly PaletteVerb[] {
  if (kind === 'AgentSystem') return ['run', 'chat', 'edit', 'open'];
  if (suspended !== undefined) return ['open', suspended ? 'resume' : 'suspend'];
  return ['open', ...(['cancel', 'retry'] as const).filter((verb) => mayAct(kind, verb, phase))];
}

/** The least score of a text that begins with the query. */
export const BEGINS = 5;

/** The score of letters that all occur in order, but not together. */
export const SCATTERED = 2;

/**
 * Score of `text`: 0 means no match; a prefix beats the beginning of a word, which beats a substring, which beats letters in order with gaps.
 */
export function fit(text: string, query: string): number {
  const [whole, wanted] = [text.toLowerCase(), query.toLowerCase()];
  if (wanted === '') return 1;
  if (whole.startsWith(wanted)) return 5;
  if (whole.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(wanted))) return 4;
  if (whole.includes(wanted)) return 3;
  let at = 0;
  for (const letter of wanted.replace(/\s+/g, '')) {
    at = whole.indexOf(letter, at) + 1;
    if (at === 0) return 0;
  }
  return SCATTERED;
}

/** Whether a hit of an earlier text may stay while the server searches for this one: Enter opens the first entry. Pure. */
export function staysWhileSearching(name: string, query: string): boolean {
  // `team-a/billing`, `agent:billing`: the name comes last.
  const [wanted = ''] = query.split(/[/:]/).slice(-1);
  return fit(name, wanted) > SCATTERED;
}

/** Matching items, best first, in their own order among equals. */
export function bestFits<Item>(items: readonly Item[], query: string, textOf: (item: Item) => string): Item[] {
  return items
    .map((item) => ({ item, score: fit(textOf(item), query) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ item }) => item);
}

/** Namespaces: pinned ones first, then recent ones, then the others. */
export function namespaceOrder(
  known: readonly string[],
  { pinned, recent }: { readonly pinned: readonly string[]; readonly recent: readonly string[] },
): string[] {
  const there = new Set(known);
  return [...new Set([...pinned, ...recent, ...known])].filter((each) => there.has(each));
}
