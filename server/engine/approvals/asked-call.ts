// What a pending approval asks, from where no client can edit it: whether a run waits, and for which call of which tool, as that run has the tool.
import type { AskedApproval } from '@svc/shared/api/approvals';
import { ServiceError } from '@svc/shared/errors';
import { describeKey } from '@svc/shared/resource';
import type { Identity } from '../../registry/registry.ts';
import type { StoreReader } from '../../store/store.ts';
import type { RunSnapshot } from '../core/snapshot.ts';
import type { ToolRef } from '../ports.ts';
import type { RunFolds } from '../views/run-folds.ts';
import { TASK_APPROVAL, type ApprovalRef } from './approval-kind.ts';
import { otherPersonFor, samePersonProblem, type Question } from './other-person.ts';
import { runWaitingFor, type AskedCall } from './waiting-run.ts';

export interface AskedSource {
  readonly reader: StoreReader;
  readonly folds: RunFolds;
  readonly needOther: boolean;
  readonly caller: Identity;
}

/** Throws `not_found`. An approval that was decided, or that no run asked, has nobody waiting: deciding it changes nothing. */
export async function readAsked(source: AskedSource, ref: ApprovalRef): Promise<AskedApproval> {
  const { reader, folds } = source;
  const approval = await reader.getObject(ref);
  if (!approval) throw new ServiceError('not_found', `${ref.kind} ${ref.namespace}/${ref.name} does not exist`);
  const waiting = await runWaitingFor(reader, approval);
  const asked = { uid: approval.uid, ...(await otherPersonOf(source, { approval, waiting })) };
  if (!waiting) return { ...asked, waits: false };
  if (waiting.kind === TASK_APPROVAL || !waiting.call) return { ...asked, waits: true };
  const { agent, request_id, input, operation, rule } = waiting.call;
  // The definitions of the attempt that waits: the newest there are.
  const tool = toolOf((await folds.read(waiting.stream)).snapshot(), waiting.call);
  return {
    ...asked,
    waits: true,
    call: {
      agent,
      request_id,
      task: `${approval.namespace}/${waiting.task}`,
      input,
      ...(operation !== undefined && { operation }),
      ...(rule && { rule }),
      tool: { namespace: tool.namespace, name: tool.name, spec: tool.spec },
    },
  };
}

async function otherPersonOf({ reader, needOther, caller }: AskedSource, question: Question): Promise<Partial<AskedApproval>> {
  const other = await otherPersonFor(reader, question, needOther);
  const refused = other && samePersonProblem(caller, describeKey(question.approval), other);
  return { ...(other && { needs_other: true }), ...(refused !== undefined && { refused }) };
}

function toolOf(snapshot: RunSnapshot | undefined, { tool }: AskedCall): Pick<ToolRef, 'namespace' | 'name' | 'spec'> {
  const known = Object.values(snapshot?.tools ?? {}).find(({ namespace, name }) => namespace === tool.namespace && name === tool.name);
  return known ?? tool;
}
