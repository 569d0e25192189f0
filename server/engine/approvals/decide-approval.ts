// A person's decision on an approval: recorded once, signed, and sent to the waiting run in the same transaction.
import type { Decider } from '@svc/shared/decision-record';
import { ServiceError } from '@svc/shared/errors';
import { describeKey, type Resource } from '@svc/shared/resource';
import { timestamp } from '../../clock.ts';
import { requireRole } from '../../registry/authorise.ts';
import { toResource } from '../../registry/mapping.ts';
import type { RequestContext } from '../../registry/registry.ts';
import { serveRequest } from '../../registry/written.ts';
import type { Store, StoredObject } from '../../store/store.ts';
import { transactAgain } from '../../store/write-race.ts';
import { approvalStatus, type ApprovalRef } from './approval-kind.ts';
import type { DecisionRequest } from './decision-request.ts';
import { checkDecisionRequest } from './check-decision-request.ts';
import { conclude, writeConcluded, type ApprovalDeps } from './conclude.ts';
import { otherPersonFor, refuseSamePerson } from './other-person.ts';
import { verdictOf } from './verdict.ts';
import { runWaitingFor } from './waiting-run.ts';

export interface DecideOptions extends ApprovalDeps {
  readonly store: Store;
}

/**
 * Answers with the decided approval. Throws `not_found`; `forbidden` when it takes another person than the caller; `conflict` when it is decided, its time is over, it is not the examined one,
 * or it may not be sent back; `invalid`
 * when the request does not fit what is asked. One that no run waits for is decided all the same, and changes nothing.
 */
export async function decideApproval(
  { store, clock, recordDecision, inputs, needOther }: DecideOptions,
  context: RequestContext,
  { ref, request }: { ref: ApprovalRef; request: DecisionRequest },
): Promise<Resource> {
  requireRole(context, 'approver', `deciding a ${ref.kind}`);
  const decided = await transactAgain(store, async (tx) => {
    const now = clock.now();
    serveRequest(tx, context);
    const pending = await tx.getObjectForUpdate(ref);
    if (!pending) throw new ServiceError('not_found', `${ref.kind} ${ref.namespace}/${ref.name} does not exist`);
    refuseAnother(pending, request);
    refuseWhenOver(pending, now);
    const waiting = await runWaitingFor(tx, pending);
    const other = await otherPersonFor(tx, { approval: pending, waiting }, needOther);
    refuseSamePerson(context.identity, describeKey(pending), other);
    const fields = checkDecisionRequest({ approval: pending, waiting, inputs }, request);
    const who = deciderOf(context, request);
    const status = { ...undecided(pending.status), ...decidedBy(who), ...fields, decided_at: timestamp(now) };
    const approval = { ...pending, status };
    const verdict = verdictOf({ approval, waiting, inputs });
    const seq = await conclude(tx, recordDecision, { approval, waiting, verdict, decider: who, now });
    return writeConcluded(
      tx,
      { approval, verdict, by: context.identity.name, now },
      { seq, message: `${request.decision} by ${who.name}` },
    );
  });
  return toResource(decided);
}

const DECIDED = ['decision', 'decided_by', 'on_behalf_of', 'decided_at', 'comment', 'outcome', 'output', 'edited_input', 'decision_record'];

/** Decision fields that an administrator wrote into the status are not part of another person's decision. */
function undecided(status: StoredObject['status']): StoredObject['status'] {
  return Object.fromEntries(Object.entries(status).filter(([field]) => !DECIDED.includes(field)));
}

/** A new one may have taken its name since the decider opened it. */
function refuseAnother({ kind, namespace, name, uid }: StoredObject, { uid: seen }: DecisionRequest): void {
  if (seen === undefined || seen === uid) return;
  throw new ServiceError(
    'conflict',
    `${kind} ${namespace}/${name} no longer has the uid ${seen}: it was created again; read the new one before you decide`,
  );
}

function refuseWhenOver(approval: StoredObject, now: number): void {
  const title = describeKey(approval);
  const { phase, decided_by: by, expires_at: until } = approvalStatus(approval);
  if (phase !== 'Pending')
    throw new ServiceError('conflict', `${title} is ${phase}${by === undefined ? '' : ` by ${by}`}; it is decided once`);
  if (until !== undefined && Date.parse(until) <= now) throw new ServiceError('conflict', `${title} expired at ${until}`);
}

/** Decider of a request: the caller's identity, with a different name in the body recorded as `on_behalf_of`. */
function deciderOf({ identity }: RequestContext, { decided_by: named }: DecisionRequest): Decider {
  const { method, role } = identity;
  if (method === 'none') return { name: named ?? identity.name, method, role };
  return { name: identity.name, method, role, ...(named !== undefined && named !== identity.name && { on_behalf_of: named }) };
}

function decidedBy({ name, on_behalf_of }: Decider) {
  return { decided_by: name, ...(on_behalf_of !== undefined && { on_behalf_of }) };
}
