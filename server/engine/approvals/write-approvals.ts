// Approval objects of a run: created in the transaction of the requesting entry, closed in that of the entry that ends the wait.
import { specOf } from '@svc/shared/kinds/read';
import { taskOutcome } from '@svc/shared/kinds/task/outcome';
import { timestamp } from '../../clock.ts';
import { hashText } from '../../decisions/decision-crypto.ts';
import { createOwned, replaceStatus } from '../../registry/own-writes.ts';
import { recordObjectWritten, writtenBy } from '../../registry/written.ts';
import type { StoredObject, StoreTransaction } from '../../store/store.ts';
import type { DataOf, Entry, EntryOf, EntryType } from '../core/entries.ts';
import type { RunSnapshot } from '../core/snapshot.ts';
import type { RunState } from '../core/state.ts';
import type { ApprovalRule } from '../ports.ts';
import { type ApprovalRef, approvalRef, approvalSpec, approvalStatus, TASK_APPROVAL, TOOL_APPROVAL } from './approval-kind.ts';
import { taskApprovalObject, toolApprovalObject } from './approval-object.ts';
import { decisionFact } from './conclude.ts';
import { APPROVAL_EXPIRY_QUEUE, setTimer, timerKey } from './timers.ts';
import { dropWaitingRun, putWaitingRun, waitingRun, type RequestedCall, type AskOrigin, type WaitingRun } from './waiting-run.ts';

export interface ApprovalsWrite {
  readonly namespace: string;
  /** The state after the entries. */
  readonly state: RunState;
  readonly entries: readonly Entry[];
  readonly now: number;
}

/** After these much that is waited for may be waited for no longer. */
const GIVES_UP: ReadonlySet<EntryType> = new Set(['agent.failed', 'run.retry_scheduled', 'run.completed', 'run.failed']);

/** Brings the objects to where the entries have brought the run. Part of the transaction that appends them. */
export async function writeApprovals(tx: StoreTransaction, write: ApprovalsWrite): Promise<void> {
  const { state, entries, namespace, now } = write;
  if (state.approvals.size === 0 && state.reviews.size === 0) return;
  for (const entry of entries) {
    if (entry.type === 'approval.requested') await writeCallApproval(tx, write, entry);
    if (entry.type === 'review.requested') await writeReview(tx, write, entry);
  }
  const why = state.end ? `the task ended as ${endedAs(state.end)} before this was decided` : 'what waited for this was given up';
  for (const ref of endedWaits(write)) await closeApproval(tx, { ...ref, namespace }, { now, why });
}

const endedAs = ({ phase, failure }: NonNullable<RunState['end']>): string => taskOutcome({ phase, reason: failure?.code });

function endedWaits({ state, entries }: ApprovalsWrite): Pick<ApprovalRef, 'kind' | 'name'>[] {
  if (entries.some(({ type }) => GIVES_UP.has(type)))
    return [
      ...[...state.approvals.values()].filter(({ open }) => !open).map(({ name }) => ({ kind: TOOL_APPROVAL, name }) as const),
      ...[...state.reviews.values()].filter(({ open }) => !open).map(({ name }) => ({ kind: TASK_APPROVAL, name }) as const),
    ];
  return entries.flatMap(({ type, data }): Pick<ApprovalRef, 'kind' | 'name'>[] => {
    if (type === 'approval.resolved') return [{ kind: TOOL_APPROVAL, name: data.name }];
    // The tool may have answered while its call waited for a person's report.
    if (type === 'tool.completed' || type === 'tool.failed') return closedOf(state, data.request_id);
    return type === 'review.resolved' ? [{ kind: TASK_APPROVAL, name: data.name }] : [];
  });
}

function closedOf({ approvals }: RunState, requestId: string): Pick<ApprovalRef, 'kind' | 'name'>[] {
  const closed = [...approvals.values()].filter(({ open, call }) => !open && call.request_id === requestId);
  return closed.map(({ name }) => ({ kind: TOOL_APPROVAL, name }));
}

async function writeCallApproval(tx: StoreTransaction, { state }: ApprovalsWrite, entry: EntryOf<'approval.requested'>): Promise<void> {
  const snapshot = state.attempt?.snapshot;
  // Asked and given up at once: nobody need be troubled.
  if (!snapshot || !state.approvals.get(entry.data.name)?.open) return;
  const origin = originOf(snapshot, callRules(state, entry.data));
  const approval = toolApprovalObject(entry, snapshot);
  const { uid: stream, name: task } = snapshot.task;
  const { reason, expires_at } = entry.data;
  const call = askedCall(entry.data, snapshot, wasSent(state, entry.data));
  const waiting = { kind: TOOL_APPROVAL, stream, task, uid: approval.uid, origin, reason, call } as const;
  await ask(tx, { approval, waiting, expiresAt: expires_at, data: { task, tool: specOf(TOOL_APPROVAL, approval).tool, reason } });
}

function originOf({ task }: RunSnapshot, rules: readonly ApprovalRule[]): AskOrigin {
  return { ...(task.creators && { creators: task.creators }), rules };
}

/** Approvals of lost calls follow their Tool; approvals by rules from before the call was sent keep counting. */
function callRules({ approvals, attempt }: RunState, data: DataOf<'approval.requested'>): readonly ApprovalRule[] {
  if (data.reason === 'policy') return data.asked_by ?? (data.rule ? [data.rule] : []);
  const tool = attempt?.snapshot.tools[data.tool];
  const own = tool
    ? [{ kind: 'Tool', namespace: tool.namespace, name: tool.name, ...(tool.specBy !== undefined && { by: tool.specBy }) }]
    : [];
  const before = [...approvals.values()].filter(({ call }) => call.request_id === data.request_id);
  return [...own, ...before.flatMap(({ askedBy }) => askedBy)];
}

/** Call that a decision will be bound to. Holds only the part of the tool that checks an edited input. */
function askedCall(data: DataOf<'approval.requested'>, { task, tools }: RunSnapshot, sent: boolean): RequestedCall {
  const { namespace, name, spec } = tools[data.tool] ?? { namespace: task.namespace, name: data.tool, spec: {} };
  const { input_schema } = spec;
  const { agent, request_id, input, operation, rule } = data;
  const tool = { namespace, name, spec: input_schema === undefined ? {} : { input_schema } };
  return { tool, agent, request_id, input, ...(operation !== undefined && { operation }), ...(rule && { rule }), ...(sent && { sent }) };
}

/** A rule may ask about a lost call that it did not govern when the call was sent. */
function wasSent({ attempt }: RunState, { turn_id, index }: DataOf<'approval.requested'>): boolean {
  return (attempt?.turns.get(turn_id)?.step?.calls[index]?.sentAt ?? 0) > 0;
}

async function writeReview(tx: StoreTransaction, { state }: ApprovalsWrite, entry: EntryOf<'review.requested'>): Promise<void> {
  const snapshot = state.attempt?.snapshot;
  const review = state.reviews.get(entry.data.name);
  if (!snapshot || !review?.open) return;
  const approval = taskApprovalObject(entry, snapshot);
  const { uid: stream, name: task } = snapshot.task;
  const { output, allow_request_changes, max_review_cycles, checkpoint_id, review_cycle } = entry.data;
  const asked = { ...review.tag, allow_request_changes, max_review_cycles, output_hash: hashText(output) };
  const { namespace: home, name: system, specBy: by } = snapshot.system;
  const origin = originOf(snapshot, [{ kind: 'AgentSystem', namespace: home, name: system, ...(by !== undefined && { by }) }]);
  const waiting = { kind: TASK_APPROVAL, stream, task, uid: approval.uid, origin, review: asked } as const;
  const data = { task, agent: specOf(TASK_APPROVAL, approval).agent, checkpoint_id, review_cycle };
  await ask(tx, { approval, waiting, expiresAt: entry.data.expires_at, data });
}

interface Question {
  readonly approval: StoredObject;
  readonly waiting: WaitingRun;
  readonly expiresAt: number;
  /** Data of the fact. */
  readonly data: Readonly<Record<string, unknown>>;
}

async function ask(tx: StoreTransaction, { approval: asked, waiting, expiresAt, data }: Question): Promise<void> {
  const needsOther = waiting.origin?.rules.some(({ require_other }) => require_other) === true;
  const approval = needsOther ? { ...asked, status: { ...asked.status, needs_other: true } } : asked;
  await createOwned(tx, approval, 'engine');
  await setTimer(tx, approval, expiresAt);
  await putWaitingRun(tx, approval, waiting);
  const type = `${approval.kind.toLowerCase()}.requested`;
  const message = approvalSpec(approval).reason ?? '';
  await tx.appendFact(approval, approval.createdAt, { type, source: 'engine', action: 'requested', message, data });
}

/** No run waits for it: a pending one is closed as Expired, without a decision. Does nothing for one that is closed already. */
async function closeApproval(tx: StoreTransaction, ref: ApprovalRef, { now, why }: { now: number; why: string }): Promise<void> {
  const waiting = await waitingRun(tx, ref);
  if (!waiting) return;
  await dropWaitingRun(tx, ref);
  await tx.removeUnclaimedWork(APPROVAL_EXPIRY_QUEUE, timerKey({ kind: ref.kind, uid: waiting.uid }));
  const approval = await tx.getObjectForUpdate(ref);
  if (approval?.uid !== waiting.uid || approvalStatus(approval).phase !== 'Pending') return;
  const status = { ...approval.status, phase: 'Expired', lastError: why, closed_at: timestamp(now) };
  const by = writtenBy('engine');
  const closed = await replaceStatus(tx, approval, { status, now, by: by.identity.name });
  recordObjectWritten(tx, { action: 'resource.update', by, object: closed });
  await tx.appendFact(closed, closed.updatedAt, decisionFact(closed, 'expired', why));
}

/** Approvals of each kind of one Task that are closed at once; further ones expire by themselves. */
const APPROVALS_MAX = 1_000;

/** Closes those of a run whose state is not at hand. */
export async function closeApprovalsOf(
  tx: StoreTransaction,
  { namespace, name, uid }: Pick<StoredObject, 'namespace' | 'name' | 'uid'>,
  closing: { readonly now: number; readonly why: string },
): Promise<void> {
  const fields = [
    { path: 'spec.task_ref', op: 'eq', value: name },
    { path: 'status.phase', op: 'eq', value: 'Pending' },
  ] as const;
  for (const kind of [TOOL_APPROVAL, TASK_APPROVAL])
    for (const approval of await tx.listObjects({ kind, namespace, fields, limit: APPROVALS_MAX })) {
      const waiting = await waitingRun(tx, approval);
      if (waiting?.stream === uid) await closeApproval(tx, approvalRef(approval), closing);
    }
}
