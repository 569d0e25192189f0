// Why a Task is not moving, as a chain of reasons, outermost first. Pure over what was read. Source: DECISIONS section 8 "explain".
import type { JsonObject } from '@svc/shared/json';
import type { Resource } from '@svc/shared/resource';
import type { WorkItem, WorkRequirements } from '../store/store.ts';
import type { RunState } from './core/state.ts';

export interface ExplainInput {
  readonly task: Resource;
  readonly item: WorkItem | undefined;
  readonly state: RunState;
  readonly now: number;
}

type Reason = JsonObject;

export function explainTask({ task, item, state, now }: ExplainInput): Reason[] {
  const phase = String(task.status['phase']);
  if (task.spec['mode'] === 'template')
    return [{ code: 'template', message: 'a template is never run; schedules and webhooks make runs from it' }];
  if (state.end || ['Succeeded', 'Failed', 'DeadLetter'].includes(phase)) return ended(task, phase);
  if (!item) return [{ code: 'not_queued', message: 'the Task is not in the queue; it was made before this server ran it' }];
  if (item.owner !== undefined && item.leaseUntil > now) return [held(item), ...running(state)];
  if (item.owner !== undefined)
    return [
      {
        code: 'lease_expired',
        message: `the lease of worker ${item.owner} ran out at ${time(item.leaseUntil)}; the next free worker takes over`,
      },
    ];
  return waiting(task, item, now);
}

const time = (ms: number) => new Date(ms).toISOString();

function ended(task: Resource, phase: string): Reason[] {
  const { reason, lastError } = task.status as { reason?: string; lastError?: string };
  const why = lastError === undefined ? '' : `: ${lastError}`;
  return [{ code: reason ?? phase.toLowerCase(), message: `the Task has ended as ${phase}${why}` }];
}

function held(item: WorkItem): Reason {
  const object = { kind: 'Worker', name: item.owner ?? '' };
  return {
    code: 'running',
    message: `worker ${item.owner} holds the lease until ${time(item.leaseUntil)}`,
    until: time(item.leaseUntil),
    object,
  };
}

/** What each open turn is doing. */
function running(state: RunState): Reason[] {
  const turns = [...(state.attempt?.turns.values() ?? [])];
  const joins = [...(state.attempt?.joins.values() ?? [])].filter(({ arrivals }) => arrivals.size > 0);
  return [
    ...turns.flatMap((turn): Reason[] => {
      const object = { kind: 'Agent', name: turn.agent.name };
      const at = `agent ${turn.agent.name} (branch ${turn.branchId})`;
      if (turn.phase === 'waiting')
        return [{ code: 'retry_wait', message: `${at} is tried again`, until: time(turn.nextAttemptAt), object }];
      const step = turn.step;
      if (step?.phase === 'model_requested')
        return [{ code: 'model_call', message: `${at} waits for its model, step ${step.agentStep}`, object }];
      const tools = step?.calls.filter(({ phase }) => phase === 'requested').map(({ request }) => request.name) ?? [];
      return tools.length > 0 ? [{ code: 'tool_call', message: `${at} waits for ${tools.join(', ')}`, object }] : [];
    }),
    ...joins.map(({ node, arrivals }): Reason => {
      const object = { kind: 'Agent', name: node };
      return {
        code: 'join_wait',
        message: `agent ${node} has input from ${[...arrivals.keys()].join(', ')} and waits for the rest`,
        object,
      };
    }),
  ];
}

function waiting(task: Resource, item: WorkItem, now: number): Reason[] {
  const blockedOn = task.status['blockedOn'] as { kind: string; name: string; reason: string } | undefined;
  const until =
    item.notBefore > now ? [{ code: 'waiting_until', message: `not before ${time(item.notBefore)}`, until: time(item.notBefore) }] : [];
  if (blockedOn) return [{ code: 'blocked', message: blockedOn.reason, object: { kind: blockedOn.kind, name: blockedOn.name } }, ...until];
  if (until.length > 0) return [{ code: 'retry_wait', message: 'the Task waits for its next try', until: time(item.notBefore) }];
  const needs = describeNeeds(item.requirements);
  const message =
    needs === '' ? 'no worker has taken the Task yet: none is running, or all are busy' : `no worker with ${needs} has taken the Task yet`;
  return [{ code: 'waiting_for_worker', message }];
}

function describeNeeds({ region, gpu, model }: WorkRequirements): string {
  const needs = [region !== undefined && `region=${region}`, gpu === true && 'gpu=true', model !== undefined && `model=${model}`];
  return needs.filter((need) => need !== false).join(', ');
}
