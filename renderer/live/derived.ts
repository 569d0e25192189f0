// Queries that depend on changes without being part of them, and the changes that affect each: a heartbeat must not make a tab count again.
// Pure.
import type { WatchItem } from '@svc/shared/api/watch';
import { kindNamed } from '../kinds/kind-table.ts';

interface Selection {
  readonly kind: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

type Concern = (items: readonly WatchItem[], input: unknown) => boolean;

/** An update changes no count of objects of a kind. */
const mayMove = ({ labelSelector, fieldSelector }: Selection, type: WatchItem['type']) =>
  type !== 'updated' || Boolean(labelSelector) || Boolean(fieldSelector);

/** Heartbeats change no reference. */
const mayRelate = ({ kind, type }: WatchItem) => type !== 'updated' || !kindNamed(kind)?.heartbeats;

/** A heartbeat changes no ability to run calls. */
const mayPreventCalls = (item: WatchItem) => kindNamed(item.kind)?.enablesCalls === true && mayRelate(item);

/** Verdicts depend on agents, tools, systems and rules, and on what enables calls. */
const mayChangeVerdict = (item: WatchItem) => kindNamed(item.kind)?.verdictPart !== undefined || mayPreventCalls(item);

/** A deleted object has no versions: those on screen stay. */
function isOfChanged(items: readonly WatchItem[], input: unknown): boolean {
  const { kind, namespace, name } = (input ?? {}) as Partial<WatchItem>;
  return items.some((item) => item.kind === kind && item.namespace === namespace && item.name === name && item.type !== 'deleted');
}

/** References of a deleted object stay as they were: the server no longer has it. */
function isOfDeleted(items: readonly WatchItem[], input: unknown): boolean {
  const { kind, namespace, name } = (input ?? {}) as Partial<WatchItem>;
  const newest = items.findLast((item) => item.kind === kind && item.namespace === namespace && item.name === name);
  return newest?.type === 'deleted';
}

const CONCERNS: Readonly<Record<string, Concern>> = {
  'resources.counts': (items, input) => {
    const { selections = [] } = (input ?? {}) as { readonly selections?: readonly Selection[] };
    return items.some(({ kind, type }) => selections.some((selection) => selection.kind === kind && mayMove(selection, type)));
  },
  'resources.relations': (items, input) => items.some(mayRelate) && !isOfDeleted(items, input),
  'resources.referrers': (items) => items.some(mayRelate),
  'resources.versions': isOfChanged,
  // A version never changes, but a new object of the name has others.
  'resources.version': (items, input) =>
    isOfChanged(
      items.filter(({ type }) => type === 'created'),
      input,
    ),
  'access.check': (items) => items.some(mayChangeVerdict),
  'access.whatIf': (items) => items.some(mayChangeVerdict),
  'access.toolProblem': (items) => items.some(mayPreventCalls),
  'server.namespaces': (items) => items.some(({ type }) => type !== 'updated'),
};

/** Whether these changes may affect the answer under this key. */
export function isConcerned([procedure, options]: readonly unknown[], items: readonly WatchItem[]): boolean {
  const concern = Array.isArray(procedure) ? CONCERNS[procedure.join('.')] : undefined;
  return concern?.(items, (options as { input?: unknown } | undefined)?.input) ?? false;
}
