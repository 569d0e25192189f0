// What becomes of a tool call the model asked for, before any tool is touched: refused, answered from what is known, or requested.
import { isObject, type JsonObject } from '@svc/shared/json';
import type { ToolSchema } from '../ports.ts';
import { decidedCall } from './approvals.ts';
import type { Entry, Failure } from './entries.ts';
import { requestId } from './ids.ts';
import { ARGUMENTS_DEPTH_MAX, CALLS_PER_STEP_MAX } from './limits.ts';
import { callKey } from './reduce.ts';
import { routeLabels } from './routing.ts';
import { stepTag, type TurnScope } from './scope.ts';
import type { AttemptState, CallState, StepState, TurnState } from './state.ts';

/** The built-in tool by which an agent chooses its route; offered where routes have labels. */
export const ROUTE_TOOL = 'route.choose';

const ROUTE_SCHEMA: ToolSchema = {
  name: ROUTE_TOOL,
  description: 'Chooses where the work goes next. `route` is a label value, or an object of labels.',
  inputSchema: { type: 'object', properties: { route: { type: ['string', 'object'] } }, required: ['route'] },
};

const DUPLICATE_HINT =
  'This call was made before with the same input; its result is above and repeated here. Go on with it, or give the final answer.';

export interface CallScope {
  readonly step: StepState;
  readonly call: CallState;
  readonly at: number;
}

/** The tools the model is offered. In the dynamic profile a tool that succeeded is offered no more (SPEC "Agent" rule 3). */
export function offeredTools(attempt: AttemptState, turn: TurnState): ToolSchema[] {
  const { agent } = turn;
  const left = agent.profile === 'dynamic' ? agent.tools.filter((tool) => !turn.succeededTools.has(tool)) : agent.tools;
  const schemas = left.map((name) => toolSchema(name, attempt.snapshot.tools[name]?.spec ?? {}));
  return routesByLabel(attempt, agent.name) && !turn.succeededTools.has(ROUTE_TOOL) ? [...schemas, ROUTE_SCHEMA] : schemas;
}

function toolSchema(name: string, spec: JsonObject): ToolSchema {
  const { description, input_schema: inputSchema } = spec;
  return {
    name,
    ...(typeof description === 'string' && description !== '' && { description }),
    ...(isObject(inputSchema) && { inputSchema: inputSchema }),
  };
}

function routesByLabel(attempt: AttemptState, node: string): boolean {
  return attempt.plan.routes(node).some(({ labels }) => Object.keys(labels).length > 0);
}

/** The entry that takes a call further; undefined while it is in flight, waits for a person, or an equal call of the same step does. */
export function decideCall(scope: TurnScope, place: CallScope): Entry | undefined {
  if (place.call.phase === 'new') return beginCall(scope, place);
  return place.call.phase === 'decided' ? decidedCall(scope, place) : undefined;
}

function beginCall(scope: TurnScope, { step, call, at }: CallScope): Entry | undefined {
  const { attempt, turn } = scope;
  const tool = call.request.name;
  const id = requestId({
    taskUid: attempt.snapshot.task.uid,
    attempt: attempt.number,
    turnId: turn.id,
    messageAttempt: turn.messageAttempt,
    agentStep: step.agentStep,
    index: call.index,
  });
  const tag = { ...stepTag(scope, step), index: call.index, call_id: call.request.id, tool, request_id: id };
  const refuse = (failure: Failure): Entry => ({
    type: 'tool.failed',
    at,
    data: { ...tag, ...failure, latency_ms: 0, arguments: call.request.arguments },
  });
  const known = (source: 'cache' | 'route', output: string, labels?: Readonly<Record<string, string>>): Entry => {
    return {
      type: 'tool.completed',
      at,
      data: { ...tag, source, output, latency_ms: 0, arguments: call.request.arguments, ...(labels && { labels }) },
    };
  };
  if (call.index >= CALLS_PER_STEP_MAX) return refuse(tooMany());
  const input = parseArguments(call.request.arguments);
  if (tool === ROUTE_TOOL && routesByLabel(attempt, turn.agent.name)) return chooseRoute(input, { refuse, known });
  if (!turn.agent.tools.includes(tool)) return refuse(unknownTool(turn, tool));
  if (!input) return refuse(invalidArguments(tool));
  const key = callKey(tool, input);
  if (isUnderWay(step, call, key)) return undefined;
  const cached = turn.succeededCalls.get(key);
  if (cached === undefined) return { type: 'tool.requested', at, data: { ...tag, input } };
  if (turn.agent.duplicateToolCalls === 'short_circuit') return known('cache', `${cached}\n\n${DUPLICATE_HINT}`);
  if (turn.agent.profile === 'contract' && !turn.violationSeen) return violation(scope, step, { at, message: duplicate(tool).message });
  return refuse(duplicate(tool));
}

function violation(scope: TurnScope, step: StepState, { at, message }: { at: number; message: string }): Entry {
  return { type: 'contract.violated', at, data: { ...stepTag(scope, step), mode: scope.turn.agent.onContractViolation, message } };
}

interface Answers {
  readonly refuse: (failure: Failure) => Entry;
  readonly known: (source: 'cache' | 'route', output: string, labels?: Readonly<Record<string, string>>) => Entry;
}

function chooseRoute(input: JsonObject | undefined, { refuse, known }: Answers): Entry {
  const labels = routeLabels(input?.['route']);
  if (Object.keys(labels).length === 0) return refuse(invalidArguments(ROUTE_TOOL));
  const chosen = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return known('route', `The route is chosen: ${chosen.join(', ')}.`, labels);
}

const UNDER_WAY: ReadonlySet<CallState['phase']> = new Set(['requested', 'awaiting', 'decided']);

function isUnderWay(step: StepState, call: CallState, key: string): boolean {
  return step.calls.some(
    (other) =>
      other.index < call.index &&
      UNDER_WAY.has(other.phase) &&
      other.request.name === call.request.name &&
      callKey(other.request.name, other.input) === key,
  );
}

/** A JSON object that is not nested too deeply; empty text counts as one without fields. */
function parseArguments(text: string): JsonObject | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && !isTooDeep(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** Level by level: what walks the value later does so by recursion, and this decides whether it may. */
function isTooDeep(root: object): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > ARGUMENTS_DEPTH_MAX) return true;
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? (Object.values(value) as unknown[]) : []));
  }
  return false;
}

function unknownTool(turn: TurnState, tool: string): Failure {
  const tools = turn.agent.tools.length > 0 ? `it has ${turn.agent.tools.join(', ')}` : 'it has none';
  return { code: 'unsupported_tool', message: `agent ${turn.agent.name} has no tool ${tool}; ${tools}`, retryable: false };
}

function invalidArguments(tool: string): Failure {
  return {
    code: 'invalid_input',
    message: `the arguments of ${tool} are not a JSON object of at most ${ARGUMENTS_DEPTH_MAX} levels; write them again`,
    retryable: true,
  };
}

function duplicate(tool: string): Failure {
  const message = `${tool} was called with this input before and duplicates are not allowed; use the earlier result`;
  return { code: 'duplicate_tool_call', message, retryable: false };
}

function tooMany(): Failure {
  return {
    code: 'invalid_input',
    reason: 'too_many_calls',
    message: `one answer may ask for at most ${CALLS_PER_STEP_MAX} tool calls`,
    retryable: true,
  };
}
