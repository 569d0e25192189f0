// Hooks of the engine on the write path of approvals: each approval has a timer, the question of a run cannot change, and a decision written directly into the status reaches its run.
import { ServiceError } from '@svc/shared/errors';
import { jsonEquals } from '@svc/shared/json';
import { expiryOf } from '@svc/shared/kinds/approval-limits';
import { ANNOTATION_PREFIX, describeKey, type Metadata, type Resource } from '@svc/shared/resource';
import type { Identity, KindHooks } from '../../registry/registry.ts';
import type { StoredObject, StoreReader, StoreTransaction } from '../../store/store.ts';
import { approvalSpec, approvalStatus } from './approval-kind.ts';
import { sendDecision } from './approval-signal.ts';
import { conclude, writeConcluded, type ApprovalDeps, type ConcludedApproval } from './conclude.ts';
import { otherPersonFor, refuseSamePerson } from './other-person.ts';
import { APPROVAL_EXPIRY_QUEUE, setTimer, timerKey } from './timers.ts';
import { verdictOf } from './verdict.ts';
import { runWaitingFor } from './waiting-run.ts';

const DELETED = 'the approval was deleted';

/** The same for ToolApprovals and TaskApprovals. */
export function createApprovalHooks(deps: ApprovalDeps, reader: StoreReader): KindHooks {
  return {
    expandStatus: (approval) => withOtherPerson(reader, approval, deps.needOther),
    writtenStatus: expiryOfOtherTtl,
    admit: refuseOtherQuestion,
    onCreated: (tx, approval) => startTimer(tx, approval),
    async onUpdated(tx, approval, { previous, by }) {
      const { phase, expires_at } = approvalStatus(approval);
      const before = approvalStatus(previous);
      if (phase === 'Pending' && expires_at !== before.expires_at) await startTimer(tx, approval);
      if (before.phase === 'Pending' && phase !== 'Pending') await decidedByHand(tx, deps, { approval, by });
    },
    async onDeleted(tx, resource, by) {
      const approval = placed(resource);
      await tx.removeUnclaimedWork(APPROVAL_EXPIRY_QUEUE, timerKey(approval));
      const waiting = await runWaitingFor(tx, approval);
      if (!waiting) return;
      const now = deps.clock.now();
      const verdict = { name: approval.name, decision: 'denied', decided_by: by.name, comment: DELETED } as const;
      const { phase, decision_record } = approvalStatus(approval);
      // An earlier decision that reached the run holds; an approval that was written by hand and reached no run has no time left to expire.
      if (phase !== 'Pending' && decision_record !== undefined)
        return sendDecision(tx, { waiting, verdict: { ...verdict, decision_record }, now });
      const decider = { name: by.name, method: by.method, role: by.role };
      await conclude(tx, deps.recordDecision, { approval, waiting, verdict, decider, now });
    },
  };
}

/** Shows refused deciders before anybody tries. */
async function withOtherPerson(reader: StoreReader, resource: Resource, always: boolean): Promise<Resource['status']> {
  const { cannot_decide: _kept, ...status } = resource.status;
  if (approvalStatus(resource).phase !== 'Pending') return status;
  const approval = await reader.getObject(placed(resource));
  if (approval?.uid !== resource.metadata.uid) return status;
  const other = await otherPersonFor(reader, { approval, waiting: await runWaitingFor(reader, approval) }, always);
  return other ? { ...status, needs_other: true, cannot_decide: other.barred } : status;
}

/** A pending approval expires by the `ttl` that it has now, counted from its creation. */
function expiryOfOtherTtl(spec: Resource['spec'], previous: Resource | undefined): Partial<ReturnType<typeof approvalStatus>> {
  if (!previous || approvalStatus(previous).phase !== 'Pending') return {};
  const { kind, metadata } = previous;
  const { ttl } = approvalSpec({ kind, metadata, spec });
  return ttl === approvalSpec(previous).ttl ? {} : { expires_at: expiryOf(ttl, metadata.createdAt) };
}

/** A reviewer must be able to trust that what they read is what will run, and a reader later that it is what was decided. */
async function refuseOtherQuestion(tx: StoreTransaction, resource: Resource, previous: Resource | undefined): Promise<void> {
  if (!previous || (jsonEquals(resource.spec, previous.spec) && keepsMarks(resource, previous))) return;
  const { kind, namespace, name, uid } = placed(previous);
  const { phase } = approvalStatus(previous);
  if (phase !== 'Pending')
    throw new ServiceError('conflict', `${kind} ${namespace}/${name} is ${phase}; its spec can no longer be changed`);
  if (await runWaitingFor(tx, { kind, namespace, name, uid }))
    throw new ServiceError('conflict', `${kind} ${namespace}/${name} belongs to a run that waits for it and cannot be changed; decide it`);
}

/** Labels and annotations of the service name the rule that required the approval, the call, and the origin of its run. */
function keepsMarks({ metadata: next }: Resource, { metadata: before }: Resource): boolean {
  const own = (marks: Metadata['labels']) => Object.fromEntries(Object.entries(marks).filter(([key]) => key.startsWith(ANNOTATION_PREFIX)));
  return jsonEquals(own(next.labels), own(before.labels)) && jsonEquals(own(next.annotations), own(before.annotations));
}

function placed({ kind, metadata: { namespace, name, uid }, spec, status }: Resource): ConcludedApproval {
  return { kind, namespace, name, uid, spec, status };
}

async function startTimer(tx: StoreTransaction, approval: Resource): Promise<void> {
  const expiresAt = Date.parse(approvalStatus(approval).expires_at ?? '');
  if (Number.isFinite(expiresAt)) await setTimer(tx, placed(approval), expiresAt);
}

/** A status that an administrator wrote is the decision that it states, under the administrator's name. An incomplete one has no effect; the approval expires. */
async function decidedByHand(tx: StoreTransaction, deps: ApprovalDeps, { approval: resource, by }: { approval: Resource; by: Identity }) {
  const written = await tx.getObjectForUpdate(placed(resource));
  const waiting = written && (await runWaitingFor(tx, written));
  if (!waiting) return;
  if (approvalStatus(written).phase !== 'Expired')
    refuseSamePerson(by, describeKey(written), await otherPersonFor(tx, { approval: written, waiting }, deps.needOther));
  const { decided_by: named } = approvalStatus(written);
  const behalf = named !== undefined && named !== by.name ? { on_behalf_of: named } : {};
  const approval: StoredObject = { ...written, status: { ...written.status, decided_by: by.name, ...behalf } };
  const verdict = verdictOf({ approval, waiting, inputs: deps.inputs });
  if (verdict.decision === 'expired' && approvalStatus(approval).phase !== 'Expired') return;
  const now = deps.clock.now();
  const decider = { name: by.name, method: by.method, role: by.role, ...behalf };
  const seq = await conclude(tx, deps.recordDecision, { approval, waiting, verdict, decider, now });
  await writeConcluded(tx, { approval, verdict, by: by.name, now }, { seq, message: `${verdict.decision} by ${by.name}, in its status` });
}
