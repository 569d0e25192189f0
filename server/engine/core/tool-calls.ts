// Decides a tool call that the model requested, before any tool is touched: refused, answered from a known result, or requested.
import { isDeeperThan, isObject, jsonEquals, type JsonObject } from '@svc/shared/json';
import { JSON_VALUES_MAX, passedLimit } from '@svc/shared/json-text';
import { ROUTE_TOOL } from '@svc/shared/kinds/tool/built-in';
import type { ToolSpec } from '@svc/shared/kinds/tool/normalize';
import type { ToolSchema } from '../ports.ts';
import { decidedCall, sendAgain } from './approvals.ts';
import { callKey } from './call-state.ts';
import { callTagOf, clear, type CallDecision, type CallScope, type Sending } from './clearance.ts';
import type { Entry, Failure } from './entries.ts';
import type { GraphPlan } from './graph-plan.ts';
import { ARGUMENTS_DEPTH_MAX, ARGUMENTS_MAX_CHARS, CALLS_PER_STEP_MAX, MEMORY_ARGUMENTS_MAX_CHARS } from './limits.ts';
import { haveLabels, routeLabels } from './routing.ts';
import { stepTag, type TurnScope } from './scope.ts';
import type { AttemptState, CallState, StepState, TurnState } from './state.ts';

const ROUTE_SCHEMA: ToolSchema = {
  name: ROUTE_TOOL,
  description: 'Chooses where the work goes next. `route` is a label value, or an object of labels.',
  inputSchema: { type: 'object', properties: { route: { type: ['string', 'object'] } }, required: ['route'] },
};

const DUPLICATE_HINT =
  'This call was made before with the same input; its result is above and repeated here. Continue with it, or give the final answer.';

/** Tools offered to the model. The dynamic profile leaves out a tool that succeeded. */
export function offeredTools(attempt: AttemptState, turn: TurnState): ToolSchema[] {
  const { agent } = turn;
  const isSpent = (tool: string) => turn.succeededTools.has(tool) && !isOfMemory(attempt, tool);
  const left = agent.profile === 'dynamic' ? agent.tools.filter((tool) => !isSpent(tool)) : agent.tools;
  const schemas = left.map((name) => toolSchema(name, attempt.snapshot.tools[name]?.spec));
  const choice = turn.succeededTools.has(ROUTE_TOOL) ? undefined : routeChoice(attempt.plan, agent.name);
  return choice ? [...schemas, choice] : schemas;
}

const isOfMemory = ({ snapshot }: AttemptState, tool: string): boolean => snapshot.tools[tool]?.spec.type === 'memory';

/** The tool by which a node chooses its route; undefined where there is nothing to choose. */
export function routeChoice(plan: GraphPlan, node: string): ToolSchema | undefined {
  return haveLabels(plan.routes(node)) ? ROUTE_SCHEMA : undefined;
}

function toolSchema(name: string, { description, input_schema }: Partial<ToolSpec> = {}): ToolSchema {
  return { name, ...(description && { description }), ...(input_schema && { inputSchema: input_schema as JsonObject }) };
}

/** Next decision for a call; undefined while it is in flight, waits for a person, or waits for an equal call of the same step. */
export function decideCall(scope: TurnScope, place: CallScope): CallDecision | undefined {
  const { phase, lost } = place.call;
  if (phase === 'new') return beginCall(scope, place);
  if (phase === 'requested') return lost ? sendAgain(scope, place) : undefined;
  return phase === 'decided' ? decidedCall(scope, place) : undefined;
}

function beginCall(scope: TurnScope, place: CallScope): CallDecision | undefined {
  const { attempt, turn } = scope;
  const { step, call, context } = place;
  const tool = call.request.name;
  const answers = answersTo(scope, place);
  if (call.index >= CALLS_PER_STEP_MAX) return recorded(answers.refuse(tooMany()));
  if (tool === ROUTE_TOOL && routeChoice(attempt.plan, turn.agent.name))
    return recorded(chooseRoute(parseArguments(call.request.arguments), answers));
  if (!turn.agent.tools.includes(tool)) return recorded(answers.refuse(unknownTool(turn, tool)));
  const ofMemory = isOfMemory(attempt, tool);
  const maxChars = ofMemory ? MEMORY_ARGUMENTS_MAX_CHARS : ARGUMENTS_MAX_CHARS;
  const input = parseArguments(call.request.arguments, maxChars);
  if (!input) return recorded(answers.refuse(invalidArguments(tool, maxChars)));
  // Equal calls of a memory are calls of their own: it changes between them.
  if (!ofMemory && isUnderWay(step, call, input)) return undefined;
  const repeated = ofMemory ? undefined : repeat(scope, place, { key: callKey(tool, input), answers });
  const send: Sending['send'] = (rule) => ({
    type: 'tool.requested',
    at: context.now,
    data: { ...callTagOf(scope, place), input, ...(rule && { rule }) },
  });
  // A call repeated with the same input is not sent again: there is nothing to approve.
  return clear(scope, place, { input, approved: repeated !== undefined, send: repeated ? () => repeated : send });
}

const recorded = (entry: Entry): CallDecision => ({ kind: 'record', entry });

function answersTo(scope: TurnScope, place: CallScope): Answers {
  const tag = { ...callTagOf(scope, place), latency_ms: 0, arguments: place.call.request.arguments };
  const at = place.context.now;
  return {
    refuse: (failure) => ({ type: 'tool.failed', at, data: { ...tag, ...failure } }),
    known: (source, output, labels) => ({ type: 'tool.completed', at, data: { ...tag, source, output, ...(labels && { labels }) } }),
  };
}

/** The entry that answers a call which was made before with the same input; undefined for one that was not. */
function repeat(scope: TurnScope, { step, call, context }: CallScope, { key, answers }: { key: string; answers: Answers }) {
  const { turn } = scope;
  const tool = call.request.name;
  const cached = turn.succeededCalls.get(key);
  if (cached === undefined) return undefined;
  if (turn.agent.duplicateToolCalls === 'short_circuit') return answers.known('cache', `${cached}\n\n${DUPLICATE_HINT}`);
  if (turn.agent.profile === 'contract' && !turn.violationSeen)
    return violation(scope, step, { at: context.now, message: duplicate(tool).message });
  return answers.refuse(duplicate(tool));
}

function violation(scope: TurnScope, step: StepState, { at, message }: { at: number; message: string }): Entry {
  return { type: 'contract.violated', at, data: { ...stepTag(scope, step), mode: scope.turn.agent.onContractViolation, message } };
}

interface Answers {
  readonly refuse: (failure: Failure) => Entry;
  readonly known: (source: 'cache' | 'route', output: string, labels?: Readonly<Record<string, string>>) => Entry;
}

function chooseRoute(input: JsonObject | undefined, { refuse, known }: Answers): Entry {
  if (!input) return refuse(invalidArguments(ROUTE_TOOL));
  const labels = routeLabels(input['route']);
  if (Object.keys(labels).length === 0) return refuse(noRoute());
  const chosen = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return known('route', `The route is chosen: ${chosen.join(', ')}.`, labels);
}

const UNDER_WAY: ReadonlySet<CallState['phase']> = new Set(['requested', 'awaiting', 'decided']);

function isUnderWay(step: StepState, call: CallState, input: JsonObject): boolean {
  return step.calls.some(
    (other) =>
      other.index < call.index &&
      UNDER_WAY.has(other.phase) &&
      other.request.name === call.request.name &&
      [other.input, other.proposed].some((sent) => sent && jsonEquals(sent, input)),
  );
}

/** A JSON object that is neither too long nor nested too deeply, nor has too many values; empty text counts as one without fields. */
export function parseArguments(text: string, maxChars = ARGUMENTS_MAX_CHARS): JsonObject | undefined {
  if (text.length > maxChars || passedLimit(text, { values: JSON_VALUES_MAX, depth: ARGUMENTS_DEPTH_MAX + 1 })) return undefined;
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && !isDeeperThan(value, ARGUMENTS_DEPTH_MAX) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

function unknownTool(turn: TurnState, tool: string): Failure {
  const tools = turn.agent.tools.length > 0 ? `it has ${turn.agent.tools.join(', ')}` : 'it has none';
  return { code: 'unsupported_tool', message: `agent ${turn.agent.name} has no tool ${tool}; ${tools}`, retryable: false };
}

function invalidArguments(tool: string, maxChars = ARGUMENTS_MAX_CHARS): Failure {
  return {
    code: 'invalid_input',
    reason: 'invalid_arguments',
    message: `the arguments of ${tool} are not a JSON object of at most ${ARGUMENTS_DEPTH_MAX} levels, ${JSON_VALUES_MAX} values and ${maxChars} characters; write them again`,
    retryable: false,
  };
}

function noRoute(): Failure {
  const message = `route of ${ROUTE_TOOL} must be a string or an object of labels, such as {"route":"billing"}; write it again`;
  return { code: 'invalid_input', reason: 'invalid_arguments', message, retryable: false };
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
    retryable: false,
  };
}
