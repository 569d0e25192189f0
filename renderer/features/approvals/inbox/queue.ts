// The order, the groups and the filters of the queue. Pure.
import { APPROVAL_KINDS, subjectOf, type Approval, type ToolApproval } from '../model/approval.ts';
import { gistOf } from '../model/gist.ts';
import type { Risk } from '../model/risk.ts';

export interface QueueItem {
  readonly approval: Approval;
  /** Risk of the tool; undefined for reviews, and `unknown` while it is not read or cannot be read. */
  readonly risk: Risk | undefined;
  /** The system of the run; undefined while it is not known. */
  readonly system: string | undefined;
}

export const GROUPINGS = ['none', 'system', 'task', 'tool'] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface QueueFilter {
  readonly kinds: readonly string[];
  readonly risks: readonly string[];
  readonly text: string;
}

export interface QueueGroup {
  /** Undefined: the queue is not grouped. */
  readonly title: string | undefined;
  readonly items: readonly QueueItem[];
}

/** Sorts by expiry, earliest first, approvals without expiry last. Ties by age, then name, so that no row jumps. */
export function byExpiry(a: QueueItem, b: QueueItem): number {
  const [x, y] = [a.approval, b.approval];
  const end = (at: number) => (Number.isFinite(at) ? at : Number.MAX_SAFE_INTEGER);
  return end(x.expiresAt) - end(y.expiresAt) || x.createdAt - y.createdAt || (x.key < y.key ? -1 : x.key > y.key ? 1 : 0);
}

export function matches({ approval, risk, system }: QueueItem, { kinds, risks, text }: QueueFilter): boolean {
  if (kinds.length > 0 && !kinds.includes(approval.kind)) return false;
  if (risks.length > 0 && !risks.includes(risk ?? 'none')) return false;
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return true;
  const { task, agent, reason, name } = approval;
  const content = gistOf(approval).map(({ value }) => value);
  return [subjectOf(approval), agent, task.name, system ?? '', reason, name, ...content].some((each) =>
    each.toLowerCase().includes(wanted),
  );
}

function titleOf({ approval, system }: QueueItem, grouping: Grouping): string {
  if (grouping === 'task') return `${approval.task.namespace}/${approval.task.name}`;
  if (grouping === 'system') return system ?? 'Other runs';
  return approval.kind === 'ToolApproval' ? approval.tool.name : 'Reviews of output';
}

/** Groups in the order of their most urgent item. `items` are in order already. */
export function grouped(items: readonly QueueItem[], grouping: Grouping): QueueGroup[] {
  if (grouping === 'none') return [{ title: undefined, items }];
  const groups = new Map<string, QueueItem[]>();
  for (const item of items) {
    const title = titleOf(item, grouping);
    const group = groups.get(title);
    if (group) group.push(item);
    else groups.set(title, [item]);
  }
  return [...groups].map(([title, members]) => ({ title, items: members }));
}

/** Item to open after `key` is removed: its successor, else its predecessor. `keys` still contain it. */
export function nextAfter(keys: readonly string[], key: string): string | undefined {
  const at = keys.indexOf(key);
  return at < 0 ? keys[0] : (keys[at + 1] ?? keys[at - 1]);
}

/** Count that each filter would show, within the filters of the other group. */
export function countsOf(
  items: readonly QueueItem[],
  filter: QueueFilter,
): {
  readonly byKind: ReadonlyMap<string, number>;
  readonly byRisk: ReadonlyMap<string, number>;
} {
  const byKind = new Map(APPROVAL_KINDS.map((kind): [string, number] => [kind, 0]));
  const byRisk = new Map<string, number>();
  for (const item of items) {
    const { approval, risk } = item;
    if (matches(item, { ...filter, kinds: [] })) byKind.set(approval.kind, (byKind.get(approval.kind) ?? 0) + 1);
    if (risk && matches(item, { ...filter, risks: [] })) byRisk.set(risk, (byRisk.get(risk) ?? 0) + 1);
  }
  return { byKind, byRisk };
}

function isSameTool(approval: ToolApproval, first: Approval): boolean {
  if (first.kind !== 'ToolApproval' || approval.namespace !== first.namespace) return false;
  return approval.tool.name === first.tool.name && approval.tool.namespace === first.tool.namespace;
}

/** Reason why the selection cannot be decided at once; undefined when it can: equal low-risk calls that need no individual review. */
export function batchProblem(items: readonly QueueItem[]): string | undefined {
  const [first] = items;
  if (!first) return 'Nothing is selected.';
  for (const { approval, risk } of items) {
    if (approval.kind !== 'ToolApproval') return 'Reviews are decided one by one.';
    if (approval.unknownOutcome) return 'Calls of unknown outcome are decided one by one.';
    if (risk !== 'low') return 'Only calls of low risk can be decided together.';
    if (!isSameTool(approval, first.approval)) return 'Only calls of the same tool can be decided together.';
  }
  return undefined;
}
