// An engine whose runs need approvals, with functions to decide, to let an approval expire, and to write a status directly.
import type { Resource } from '@svc/shared/resource';
import { systemClock } from '../clock.ts';
import { createApprovalHooks } from '../engine/approvals/approval-hooks.ts';
import { TASK_APPROVAL, TOOL_APPROVAL, type ApprovalKind } from '../engine/approvals/approval-kind.ts';
import type { DecisionRequest } from '../engine/approvals/decision-request.ts';
import { createApprovalExpiry } from '../engine/approvals/expiry.ts';
import { timerKey } from '../engine/approvals/timers.ts';
import { createRunService } from '../engine/runs/create-run-service.ts';
import { silentObserver } from '../engine/observer.ts';
import type { CallVerdict, Governance } from '../engine/ports.ts';
import type { RunService } from '../engine/runs/run-service.ts';
import { systemContext, type Registry } from '../registry/registry.ts';
import type { Store, StoredObject } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';
import { keptDecisions, type KeptDecisions } from './approval-deps.ts';
import { allowAll, openEngine, toTestResource, type EngineBundle, type EngineSetup } from './engine.ts';

export const RULE = { kind: 'ToolPermission', namespace: 'default', name: 'pay', path: 'spec.operation_rules[1]' } as const;

/** Requires an approval of each call of a tool of this name. */
export function requireApprovalOf(tool: string, { ttlMs = 600_000, reason = '' } = {}): Governance {
  const ask: CallVerdict = { verdict: 'approval_required', operation: 'write', ttlMs, reason, rule: RULE, askedBy: [RULE], findings: [] };
  return {
    ...allowAll,
    judgeCall: (reader, subject) => (subject.tool.ref === tool ? Promise.resolve(ask) : allowAll.judgeCall(reader, subject)),
  };
}

export interface ApprovalFixture {
  readonly engine: EngineBundle;
  readonly runs: RunService;
  readonly decisions: KeptDecisions;
  /** Ordered by name. */
  all(kind: ApprovalKind): Promise<StoredObject[]>;
  /** The only one of its kind that is pending. */
  pending(kind?: ApprovalKind): Promise<StoredObject>;
  decide(approval: { readonly kind: string; readonly name: string }, request: DecisionRequest): Promise<Resource>;
  /** Lets an approval expire. */
  expire(approval: StoredObject): Promise<void>;
  /** Writes the status as an administrator. */
  writeStatus(approval: StoredObject, status: Readonly<Record<string, unknown>>): Promise<void>;
  remove(approval: StoredObject): Promise<void>;
  /** Types of the facts recorded about approvals. */
  facts(): Promise<string[]>;
}

export async function openApprovals(setup: EngineSetup & { readonly store: Store }): Promise<ApprovalFixture> {
  const engine = await openEngine(setup);
  const { store } = engine;
  const decisions = keptDecisions(systemClock, setup.inputChecks);
  const runs = createRunService({
    store,
    observer: silentObserver,
    runListeners: engine.runListeners,
    registry: {} as Registry,
    ...decisions,
  });
  const hooks = createApprovalHooks(decisions, store);
  const by = systemContext.identity;
  const all = (kind: ApprovalKind) => store.listObjects({ kind, limit: 100 });
  return {
    engine,
    runs,
    decisions,
    all,
    async pending(kind = TOOL_APPROVAL) {
      const [approval, ...more] = (await all(kind)).filter(({ status }) => status['phase'] === 'Pending');
      if (!approval || more.length > 0) throw new Error(`${more.length + (approval ? 1 : 0)} ${kind}s are pending`);
      return approval;
    },
    decide: ({ kind, name }, request) => {
      const ref = { kind: kind === TASK_APPROVAL ? TASK_APPROVAL : TOOL_APPROVAL, namespace: 'default', name } as const;
      return runs.decide(systemContext, ref, request);
    },
    async expire(approval) {
      const item = { key: timerKey(approval), namespace: approval.namespace, name: approval.name };
      await transactAgain(store, (tx) => createApprovalExpiry(decisions)(tx, item, systemClock.now()));
    },
    async writeStatus(approval, status) {
      const written = { ...approval, resourceVersion: approval.resourceVersion + 1, status };
      await transactAgain(store, async (tx) => {
        await tx.updateObject(written);
        await hooks.onUpdated?.(tx, toTestResource(written), { previous: toTestResource(approval), by });
      });
    },
    async remove(approval) {
      await transactAgain(store, async (tx) => {
        await tx.deleteObject(approval, approval.updatedAt);
        await hooks.onDeleted?.(tx, toTestResource(approval), by);
      });
    },
    async facts() {
      const changes = await store.readChanges({ after: 0, limit: 1_000 });
      return changes.flatMap(({ fact }) => (fact && /^(tool|task)approval\./.test(fact.type) ? [fact.type] : []));
    },
  };
}
