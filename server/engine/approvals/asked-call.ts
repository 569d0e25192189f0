// What a pending approval asks, from where no client can edit it: whether a run waits, and for which call of which tool, as that run has the tool.
import type { AskedApproval } from '@svc/shared/api/approvals';
import { ServiceError } from '@svc/shared/errors';
import type { StoreReader } from '../../store/store.ts';
import type { RunSnapshot } from '../core/snapshot.ts';
import type { ToolRef } from '../ports.ts';
import type { RunFolds } from '../run-folds.ts';
import { TASK_APPROVAL, type ApprovalRef } from './approval-kind.ts';
import { runWaitingFor, type AskedCall } from './waiting-run.ts';

export interface AskedSource {
  readonly reader: StoreReader;
  readonly folds: RunFolds;
}

/** Throws `not_found`. An approval that was decided, or that no run asked, has nobody waiting: deciding it changes nothing. */
export async function readAsked({ reader, folds }: AskedSource, ref: ApprovalRef): Promise<AskedApproval> {
  const approval = await reader.getObject(ref);
  if (!approval) throw new ServiceError('not_found', `${ref.kind} ${ref.namespace}/${ref.name} does not exist`);
  const waiting = await runWaitingFor(reader, approval);
  const uid = approval.uid;
  if (!waiting) return { uid, waits: false };
  if (waiting.kind === TASK_APPROVAL || !waiting.call) return { uid, waits: true };
  const { agent, request_id, input, operation, rule } = waiting.call;
  // The definitions of the attempt that waits: the newest there are.
  const tool = toolOf((await folds.read(waiting.stream)).snapshot(), waiting.call);
  return {
    uid,
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

function toolOf(snapshot: RunSnapshot | undefined, { tool }: AskedCall): Pick<ToolRef, 'namespace' | 'name' | 'spec'> {
  const known = Object.values(snapshot?.tools ?? {}).find(({ namespace, name }) => namespace === tool.namespace && name === tool.name);
  return known ?? tool;
}
