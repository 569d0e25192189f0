// Question of a pending approval, from where no client can edit it: whether a run waits, and for which call of which tool, as that run has the tool.
import type { ApprovalRequest, CallPlan } from '@svc/shared/api/approvals';
import { ServiceError } from '@svc/shared/errors';
import { isObject, type JsonObject } from '@svc/shared/json';
import { specOf } from '@svc/shared/kinds/read';
import { describeKey, parseRef } from '@svc/shared/resource';
import type { Identity } from '../../registry/registry.ts';
import type { StoredObject, StoreReader } from '../../store/store.ts';
import type { RunSnapshot } from '../core/snapshot.ts';
import type { PlanCall, ToolRef } from '../ports.ts';
import type { RunFolds } from '../views/run-folds.ts';
import { approvalStatus, TASK_APPROVAL, TOOL_APPROVAL, type ApprovalRef } from './approval-kind.ts';
import { otherPersonFor, samePersonProblem, type Question } from './other-person.ts';
import { runWaitingFor, type RequestedCall, type WaitingCall } from './waiting-run.ts';

export interface ApprovalRequestSource {
  readonly reader: StoreReader;
  readonly folds: RunFolds;
  readonly needOther: boolean;
  readonly caller: Identity;
  readonly planCall: PlanCall;
}

/** Throws `not_found`. An approval that is decided, or that no run requested, has no waiting run: deciding it changes nothing. */
export async function readApprovalRequest(source: ApprovalRequestSource, ref: ApprovalRef): Promise<ApprovalRequest> {
  const { reader, folds } = source;
  const approval = await reader.getObject(ref);
  if (!approval) throw new ServiceError('not_found', `${ref.kind} ${ref.namespace}/${ref.name} does not exist`);
  const waiting = await runWaitingFor(reader, approval);
  const asked = { uid: approval.uid, ...(await otherPersonOf(source, { approval, waiting })) };
  if (!waiting) return { ...asked, waits: false, ...(await planByHand(source, approval)) };
  if (waiting.kind === TASK_APPROVAL || !waiting.call) return { ...asked, waits: true };
  const { agent, request_id, input, sent, operation, rule } = waiting.call;
  const tool = await toolOfRun(folds, waiting);
  return {
    ...asked,
    waits: true,
    ...planOf(source, tool, input),
    call: {
      agent,
      request_id,
      task: `${approval.namespace}/${waiting.task}`,
      input,
      ...(sent && { sent }),
      ...(operation !== undefined && { operation }),
      ...(rule && { rule }),
      tool: { namespace: tool.namespace, name: tool.name, spec: tool.spec },
    },
  };
}

/** Plans the call with an edited input. Throws `not_found`; undefined without a Tool. */
export async function planEdited(
  { reader, folds, planCall }: ApprovalRequestSource,
  ref: ApprovalRef,
  input: JsonObject,
): Promise<CallPlan | undefined> {
  const approval = await reader.getObject(ref);
  if (!approval) throw new ServiceError('not_found', `${ref.kind} ${ref.namespace}/${ref.name} does not exist`);
  const waiting = await runWaitingFor(reader, approval);
  const tool =
    waiting && waiting.kind !== TASK_APPROVAL && waiting.call ? await toolOfRun(folds, waiting) : await toolOfToday(reader, approval);
  return tool && planCall(tool, input);
}

/** Plan for an approval that no run waits for: the current Tool with the input in the object. */
async function planByHand(source: ApprovalRequestSource, approval: StoredObject): Promise<Pick<ApprovalRequest, 'plan'>> {
  if (approvalStatus(approval).phase !== 'Pending') return {};
  return planOf(source, await toolOfToday(source.reader, approval), statedInput(approval));
}

function planOf(
  { planCall }: ApprovalRequestSource,
  tool: ToolRef | undefined,
  input: JsonObject | undefined,
): Pick<ApprovalRequest, 'plan'> {
  return tool && input ? { plan: planCall(tool, input) } : {};
}

/** Reads the definitions of the attempt that waits, which are the newest of the run. */
async function toolOfRun(folds: RunFolds, { stream, call }: WaitingCall & { readonly call?: RequestedCall }): Promise<ToolRef> {
  if (!call) throw new Error('a call that was not recorded has no tool');
  return toolOf((await folds.read(stream)).snapshot(), call);
}

async function toolOfToday(reader: StoreReader, approval: StoredObject): Promise<ToolRef | undefined> {
  if (approval.kind === TASK_APPROVAL) return undefined;
  const { namespace, name } = parseRef(specOf(TOOL_APPROVAL, approval).tool, approval.namespace);
  const tool = await reader.getObject({ kind: 'Tool', namespace, name });
  return tool && { namespace, name, spec: specOf('Tool', tool) };
}

/** The input that the object itself states, as JSON. */
function statedInput(approval: StoredObject): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(specOf(TOOL_APPROVAL, approval).input ?? '');
    return isObject(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

async function otherPersonOf({ reader, needOther, caller }: ApprovalRequestSource, question: Question): Promise<Partial<ApprovalRequest>> {
  const other = await otherPersonFor(reader, question, needOther);
  const refused = other && samePersonProblem(caller, describeKey(question.approval), other);
  return { ...(other && { needs_other: true }), ...(refused !== undefined && { refused }) };
}

function toolOf(snapshot: RunSnapshot | undefined, { tool }: RequestedCall): ToolRef {
  const known = Object.values(snapshot?.tools ?? {}).find(({ namespace, name }) => namespace === tool.namespace && name === tool.name);
  return known ?? { ...tool, spec: specOf('Tool', tool) };
}
