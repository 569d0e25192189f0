// Questions of a run to governance, and the answers, both as data. The shell does the asking.
import { parseRef } from '@svc/shared/resource';
import type { CallSubject, CallVerdict, GovernedRun, ModelSubject, ModelVerdict, ToolRef } from '../ports.ts';
import type { JsonObject } from '@svc/shared/json';
import type { Failure } from './entries.ts';
import type { TurnScope } from './scope.ts';
import type { RunSnapshot, ToolSnapshot } from './snapshot.ts';

/** A call that is about to be sent; `key` is its request id. */
export type PendingCall = PendingToolCall | PendingModelCall;

export interface PendingToolCall {
  readonly kind: 'call';
  readonly key: string;
  readonly subject: CallSubject;
  readonly tool: ToolRef;
  /** Input as it would be sent. */
  readonly input: JsonObject;
}

export interface PendingModelCall {
  readonly kind: 'model';
  readonly key: string;
  readonly subject: ModelSubject;
}

/** `misfit`: the input does not fit the tool, so there is nothing to judge. `unrunnable`: why a call that needs approval gets none. */
export type CallRuling =
  (CallVerdict & { readonly unrunnable?: Failure | undefined }) | { readonly verdict: 'misfit'; readonly failure: Failure };

/** By request id. */
export interface Verdicts {
  readonly calls: Pick<ReadonlyMap<string, CallRuling>, 'get'>;
  readonly models: Pick<ReadonlyMap<string, ModelVerdict>, 'get'>;
}

export const NO_VERDICTS: Verdicts = { calls: new Map(), models: new Map() };

/** The tool as the agent names it; undefined where the snapshot has none of that name. */
export function toolOf({ tools }: RunSnapshot, ref: string): ToolSnapshot | undefined {
  return Object.hasOwn(tools, ref) ? tools[ref] : undefined;
}

export function callSubject({ attempt, turn }: Omit<TurnScope, 'state'>, ref: string, tool: ToolSnapshot): CallSubject {
  const { snapshot } = attempt;
  const { roles, allowedTools } = turn.agent;
  return {
    ...governedRun(snapshot),
    agent: { ...parseRef(turn.agent.name, snapshot.system.namespace), roles, allowedTools },
    tool: { namespace: tool.namespace, name: tool.name, ref, operationClasses: tool.spec.operation_classes },
  };
}

/** Undefined where the snapshot has no such model: the call will fail with that. */
export function modelSubject({ attempt, turn }: Omit<TurnScope, 'state'>): ModelSubject | undefined {
  const { snapshot } = attempt;
  const endpoint = Object.hasOwn(snapshot.models, turn.agent.model) ? snapshot.models[turn.agent.model] : undefined;
  if (!endpoint) return undefined;
  const { namespace, name, spec } = endpoint;
  const model = spec.default_model === undefined || spec.default_model === '' ? name : spec.default_model;
  return { ...governedRun(snapshot), endpoint: { namespace, name, model } };
}

function governedRun({ task, system }: RunSnapshot): Required<GovernedRun> {
  return { task: { namespace: task.namespace, name: task.name }, system: { namespace: system.namespace, name: system.name } };
}
