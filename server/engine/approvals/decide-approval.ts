// A person's decision on a ToolApproval: recorded once, and told to the run that waits for it in the same transaction.
// Source: SPEC "Approval decisions", DECISIONS sections 3 "Tool approvals" and 9 "Approvals".
import { invalidFields, ServiceError, type FieldError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import { CALL_OUTCOMES, type CallOutcome } from '@svc/shared/kinds/tool-approval/schema';
import type { Resource } from '@svc/shared/resource';
import { timestamp, type Clock } from '../../clock.ts';
import { requireRole } from '../../registry/authorise.ts';
import { toResource } from '../../registry/mapping.ts';
import type { RequestContext } from '../../registry/registry.ts';
import type { Store, StoredObject, StoreTransaction } from '../../store/store.ts';
import { transactAgain } from '../../store/write-race.ts';
import type { ObjectRef } from '../run-service.ts';
import type { ApprovalWish } from './approval-wish.ts';
import { RECORD_TEXT_MAX_BYTES } from '../core/limits.ts';
import { tellRun, waitingRun, type WaitingRun } from './approval-signal.ts';
import { APPROVAL_EXPIRY_QUEUE, TOOL_APPROVAL, verdictOf } from './expiry.ts';

const REVIEWER_MAX_BYTES = 256;
/** What a tool may answer. */
const DECIDED_DATA_MAX_BYTES = 1024 * 1024;

export interface DecideOptions {
  readonly store: Store;
  readonly clock: Clock;
}

/**
 * Answers with the decided ToolApproval. Throws `not_found`; `conflict` when it is decided or its time is over; `invalid` when the wish
 * does not fit what is asked. One that no run waits for is decided all the same, and changes nothing.
 */
export async function decideApproval(
  { store, clock }: DecideOptions,
  context: RequestContext,
  { ref, wish }: { ref: ObjectRef; wish: ApprovalWish },
): Promise<Resource> {
  requireRole(context, 'writer', 'deciding a ToolApproval');
  const decided = await transactAgain(store, async (tx) => {
    const now = clock.now();
    const approval = await tx.getObjectForUpdate({ kind: TOOL_APPROVAL, ...ref });
    if (!approval) throw new ServiceError('not_found', `ToolApproval ${ref.namespace}/${ref.name} does not exist`);
    refuseWhenOver(approval, now);
    const found = await waitingRun(tx, ref);
    const waiting = found?.uid === approval.uid ? found : undefined;
    const fields = checkWish(approval, waiting, wish);
    return record(tx, { approval, waiting, now }, { ...whoDecides(context, wish), ...fields });
  });
  return toResource(decided);
}

function refuseWhenOver({ namespace, name, status }: StoredObject, now: number): void {
  const title = `ToolApproval ${namespace}/${name}`;
  const { phase, decided_by: by, expires_at: until } = status as { phase?: string; decided_by?: string; expires_at?: string };
  if (phase !== 'Pending')
    throw new ServiceError('conflict', `${title} is ${String(phase)}${by === undefined ? '' : ` by ${by}`}; it is decided once`);
  if (until !== undefined && Date.parse(until) <= now) throw new ServiceError('conflict', `${title} expired at ${until}`);
}

type Status = Readonly<Record<string, unknown>>;

/** The status fields of a wish that fits. */
function checkWish({ namespace, name }: StoredObject, waiting: WaitingRun | undefined, wish: ApprovalWish): Status {
  const errors = [...sizeErrors(wish), ...(waiting?.reason === 'unknown_outcome' ? outcomeErrors(wish) : plainErrors(wish))];
  if (errors.length > 0) throw invalidFields(`The decision on ToolApproval ${namespace}/${name}`, errors);
  const phase = wish.decision === 'approved' ? 'Approved' : 'Denied';
  const { comment, outcome, output, input } = wish;
  return {
    phase,
    decision: wish.decision,
    ...(comment !== undefined && { comment }),
    ...(outcome !== undefined && { outcome }),
    ...(output !== undefined && { output: asText(output) }),
    ...(input !== undefined && { edited_input: asText(input) }),
  };
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Each text is read again with every GET, list and watch of the approval; the output is also what the model is sent, so it may have as much as a tool may answer. */
function sizeErrors({ decided_by, comment, output, input }: ApprovalWish): FieldError[] {
  const limits = {
    decided_by: REVIEWER_MAX_BYTES,
    comment: RECORD_TEXT_MAX_BYTES,
    output: DECIDED_DATA_MAX_BYTES,
    input: DECIDED_DATA_MAX_BYTES,
  };
  const given: Readonly<Record<string, unknown>> = { decided_by, comment, output, input };
  return Object.entries(limits)
    .filter(([path, maxBytes]) => given[path] !== undefined && Buffer.byteLength(asText(given[path])) > maxBytes)
    .map(([path, maxBytes]) => ({ path, message: `must be at most ${maxBytes} bytes` }));
}

/** An approval must say what became of the call: only a person can know. */
function outcomeErrors({ decision, outcome, output, input }: ApprovalWish): FieldError[] {
  const errors: FieldError[] = [];
  const add = (path: string, message: string) => errors.push({ path, message });
  if (input !== undefined)
    add('input', 'cannot be edited: the call was sent as it is; say with outcome what became of it, or deny the approval');
  if (decision === 'denied') return errors;
  const choices =
    'done (it was carried out; output may say what it answered), not_done (it was not; the model is told) or run_again (send it again)';
  if (!isOutcome(outcome)) add('outcome', outcome === undefined ? `is required: ${choices}` : `must be ${choices}`);
  if (output !== undefined && outcome !== 'done') add('output', 'is what the tool answered, so it goes with outcome done only');
  if (output !== undefined && typeof output !== 'string' && !isObject(output)) add('output', 'must be a text or an object');
  return errors;
}

const isOutcome = (outcome: string | undefined): outcome is CallOutcome => CALL_OUTCOMES.includes(outcome as CallOutcome);

function plainErrors({ outcome, output, input }: ApprovalWish): FieldError[] {
  const only = 'belongs to approvals of calls whose outcome is unknown, and no run waits for such a word here';
  return [
    ...(outcome === undefined ? [] : [{ path: 'outcome', message: only }]),
    ...(output === undefined ? [] : [{ path: 'output', message: only }]),
    ...(input === undefined || isJsonObject(input) ? [] : [{ path: 'input', message: 'must be an object, or the JSON text of one' }]),
  ];
}

function isJsonObject(input: unknown): boolean {
  if (typeof input !== 'string') return isObject(input);
  try {
    return isObject(JSON.parse(input));
  } catch {
    return false;
  }
}

/** A caller known by name decides under that name; whom they name is recorded beside it. Source: DECISIONS section 3 "Tool approvals". */
function whoDecides({ identity }: RequestContext, { decided_by: named }: ApprovalWish): Status {
  if (identity.method === 'none') return { decided_by: named ?? identity.name };
  return { decided_by: identity.name, ...(named !== undefined && named !== identity.name && { on_behalf_of: named }) };
}

interface Deciding {
  readonly approval: StoredObject;
  readonly waiting: WaitingRun | undefined;
  readonly now: number;
}

async function record(tx: StoreTransaction, { approval, waiting, now }: Deciding, fields: Status): Promise<StoredObject> {
  const status: Status = { ...approval.status, ...fields, decided_at: timestamp(now) };
  const decided = { ...approval, resourceVersion: approval.resourceVersion + 1, updatedAt: timestamp(now), status };
  await tx.updateObject(decided);
  const action = String(status['decision']);
  const { decided_by, on_behalf_of, outcome } = status;
  const { task_ref: task, tool } = approval.spec;
  const data = { task, tool, decided_by, ...(on_behalf_of !== undefined && { on_behalf_of }), ...(outcome !== undefined && { outcome }) };
  const message = `${action} by ${String(decided_by)}`;
  await tx.appendFact(approval, timestamp(now), { type: `toolapproval.${action}`, source: 'engine', action, message, data });
  if (waiting) await tellRun(tx, { waiting, verdict: verdictOf(decided), now });
  else await tx.removeUnclaimedWork(APPROVAL_EXPIRY_QUEUE, approval.uid);
  return decided;
}
