// Dry run of governance for a call, with the judge that runs use. Read-only.
import type { AgentSpec } from '@svc/shared/kinds/agent/rules';
import { specOf } from '@svc/shared/kinds/read';
import { MEMORY_OPERATIONS, memoryOperationClass, memoryToolName, ROUTE_TOOL } from '@svc/shared/kinds/tool/built-in';
import { parseRef, type NamespacedName } from '@svc/shared/resource';
import type {
  CallError,
  CallErrorCode,
  CallSubject,
  CallVerdict,
  Governance,
  ModelSubject,
  ModelVerdict,
  RuleFinding,
  RuleRef,
  ToolCheck,
} from '../engine/ports.ts';
import type { StoredObject, StoreReader } from '../store/store.ts';
import { judgeCall as judgeCallBy } from './judge-call.ts';
import { judgeModel as judgeModelBy } from './judge-model.ts';
import { loadRules } from './load-rules.ts';
import { finding, type DefaultVerdict } from './outcome.ts';
import { objectTitle, objectKey } from './rules.ts';
import { readWhatIf, withObjects } from './what-if.ts';

/**
 * Each name is `name`, in `namespace`, or `namespace/name`; that of the tool is resolved in the agent's namespace, as the agent's own list is, and that of a
 * built-in tool of its Memory in the namespace of the Memory.
 */
export interface AccessQuestion {
  readonly namespace: string;
  readonly agent: string;
  readonly tool: string;
  /** One operation class to judge alone; absent: all of the tool's. */
  readonly operation?: string;
  readonly system?: string;
  /** Need not exist yet. Where it does and no system is given, its system counts. */
  readonly task?: string;
  /** A ModelEndpoint; absent: the agent's. */
  readonly model?: string;
}

/** No call to judge: it could never be made. */
interface ImpossibleCall {
  readonly verdict: 'deny';
  readonly code: 'not_found' | CallErrorCode;
  readonly reason: string;
  readonly message: string;
  readonly rule: RuleRef;
  readonly findings: readonly RuleFinding[];
}

export interface AccessAnswer {
  /** On a call that needs an approval: the decision takes another person. */
  readonly needsOther?: true;
  readonly agent: NamespacedName;
  readonly tool: NamespacedName;
  readonly call: CallVerdict | ImpossibleCall;
  /** Absent where the agent does not exist. */
  readonly model?: { readonly endpoint: NamespacedName; readonly model: string; readonly verdict: ModelVerdict | ImpossibleCall };
}

interface WhatIf {
  readonly questions: readonly AccessQuestion[];
  /** Documents of the kinds that governance reads, as an apply takes them. */
  readonly documents: readonly unknown[];
  /** Namespace of documents that name none. */
  readonly namespace: string;
}

export interface AccessCheck {
  /** Objects that do not exist are part of the answer. Rejects only when the store does. */
  check(question: AccessQuestion): Promise<AccessAnswer>;
  /** The answers as if the documents were stored, which they are not. Rejects with `invalid` or `too_large` for documents that could not be. */
  whatIf(whatIf: WhatIf): Promise<AccessAnswer[]>;
  /** The error of every call of the Tool as it is configured; undefined for a tool that can run or does not exist. */
  toolProblem(tool: NamespacedName): Promise<CallError | undefined>;
}

export interface AccessCheckParts {
  readonly store: StoreReader;
  readonly governance: Governance;
  readonly canRun: ToolCheck;
  /** `--default-tool-verdict`, which a what-if is judged by. */
  readonly defaultVerdict: DefaultVerdict;
  /** `--approvals-need-other`. */
  readonly needOther: boolean;
}

export function createAccessCheck({ store, governance, canRun, defaultVerdict, needOther }: AccessCheckParts): AccessCheck {
  const inForce: Judge = {
    call: (subject) => governance.judgeCall(store, subject),
    model: (subject) => governance.judgeModel(store, subject),
  };
  return {
    check: (question) => answer({ store, canRun, judge: inForce, needOther }, question),
    async whatIf({ questions, documents, namespace }) {
      const changed = withObjects(store, readWhatIf(documents, namespace));
      // Read once for all questions, and beside the book that runs are judged by.
      const { book } = await loadRules(changed);
      const judge: Judge = {
        call: async (subject) => judgeCallBy(book, subject, defaultVerdict),
        model: async (subject) => judgeModelBy(book, subject),
      };
      const answers: AccessAnswer[] = [];
      for (const question of questions) answers.push(await answer({ store: changed, canRun, judge, needOther }, question));
      return answers;
    },
    async toolProblem(tool) {
      const { stored } = await find(store, 'Tool', tool);
      return stored && canRun({ ...tool, spec: specOf('Tool', stored) }, store);
    },
  };
}

interface Judge {
  call(subject: CallSubject): Promise<CallVerdict>;
  model(subject: ModelSubject): Promise<ModelVerdict>;
}

type ObjectReader = Parameters<ToolCheck>[1];

interface World {
  readonly store: ObjectReader;
  readonly canRun: ToolCheck;
  readonly judge: Judge;
  readonly needOther: boolean;
}

async function answer(world: World, question: AccessQuestion): Promise<AccessAnswer> {
  const { store } = world;
  const agent = await find(store, 'Agent', parseRef(question.agent, question.namespace));
  const listed = parseRef(question.tool, agent.key.namespace);
  if (!agent.stored) return { agent: agent.key, tool: listed, call: missing('Agent', agent.key) };
  const spec = specOf('Agent', agent.stored);
  const memory = memoryCall(question.tool, agent.key, spec);
  const named = { agent: agent.key, tool: memory?.tool ?? listed };
  const asked: CheckInput = { ...world, ...named, question, spec, memory, run: await readRun(store, question) };
  const [call, model] = [await judgeCall(asked), await judgeModel(asked)];
  return { ...named, call, model, ...(takesOther(world, call) && { needsOther: true }) };
}

function takesOther({ needOther }: World, call: AccessAnswer['call']): boolean {
  return call.verdict === 'approval_required' && (needOther || call.askedBy.some(({ require_other }) => require_other === true));
}

interface CheckInput extends World {
  readonly question: AccessQuestion;
  readonly agent: NamespacedName;
  readonly tool: NamespacedName;
  readonly spec: AgentSpec;
  readonly memory: MemoryCall | undefined;
  readonly run: Run;
}

interface FoundObject {
  readonly key: NamespacedName;
  readonly stored: StoredObject | undefined;
}

async function find(store: ObjectReader, kind: string, key: NamespacedName): Promise<FoundObject> {
  return { key, stored: await store.getObject({ kind, ...key }) };
}

// ---------------------------------------------------------------- the run

interface Run {
  readonly task?: NamespacedName;
  readonly system?: NamespacedName;
  /** Agents that the system lists, where a system is given. Undefined when it does not exist. */
  readonly agents?: readonly string[] | undefined;
  readonly notes: readonly RuleFinding[];
}

async function readRun(store: ObjectReader, { namespace, task: taskRef, system: systemRef }: AccessQuestion): Promise<Run> {
  const task = taskRef === undefined ? undefined : await find(store, 'Task', parseRef(taskRef, namespace));
  const ref = systemRef ?? (task?.stored && specOf('Task', task.stored).system);
  const home = systemRef === undefined && task ? task.key.namespace : namespace;
  const system = ref === undefined ? undefined : await find(store, 'AgentSystem', parseRef(ref, home));
  const agents =
    system?.stored && (specOf('AgentSystem', system.stored).agents ?? []).map((name) => objectKey(parseRef(name, system.key.namespace)));
  return {
    ...(task && { task: task.key }),
    ...(system && { system: system.key, agents }),
    notes: notesOf(task, system),
  };
}

function notesOf(task: FoundObject | undefined, system: FoundObject | undefined): RuleFinding[] {
  if (!task && !system) {
    const message =
      "no task or system is named: policies with a target are left out, and global policies are those of the agent's namespace";
    return [finding({ kind: 'default' }, 'none', message)];
  }
  if (!task || task.stored) return [];
  return [
    finding({ kind: 'Task', ...task.key }, 'none', `${objectTitle('Task', task.key)} does not exist; policies are matched by its name`),
  ];
}

// ---------------------------------------------------------------- the call

async function judgeCall(asked: CheckInput): Promise<CallVerdict | ImpossibleCall> {
  const { store, question, agent, tool, spec, run } = asked;
  if (run.system && !run.agents) return missing('AgentSystem', run.system);
  if (run.system && run.agents && !run.agents.includes(objectKey(agent))) return notInSystem(agent, run.system);
  if (question.tool === ROUTE_TOOL) return routing();
  if (asked.memory) return judgeMemoryCall(asked, asked.memory);
  const ref = spec.tools?.find((name) => objectKey(parseRef(name, agent.namespace)) === objectKey(tool));
  if (ref === undefined) return unlistedTool(agent, tool);
  const { stored } = await find(store, 'Tool', tool);
  if (!stored) return missing('Tool', tool);
  const toolSpec = specOf('Tool', stored);
  const verdict = await judgeBy(asked, ref, toolSpec.operation_classes);
  const problem = verdict.verdict === 'deny' ? undefined : await asked.canRun({ ...tool, spec: toolSpec }, store);
  return problem ? notRunnable(problem, verdict, tool) : verdict;
}

/** By the rules alone. */
async function judgeBy(asked: CheckInput, ref: string, operationClasses: readonly string[]): Promise<CallVerdict> {
  const { judge, question, agent, tool, spec, run } = asked;
  const verdict = await judge.call({
    ...governed(run),
    agent: { ...agent, roles: spec.roles ?? [], allowedTools: spec.allowed_tools ?? [] },
    tool: { ...tool, ref, operationClasses },
    ...(question.operation !== undefined && { operation: question.operation }),
  });
  return { ...verdict, findings: [...run.notes, ...undeclared(asked, operationClasses), ...verdict.findings] };
}

interface MemoryCall {
  readonly memory: NamespacedName;
  readonly operation: string;
  readonly tool: NamespacedName;
}

/** The operation on the agent's Memory that a name means; undefined where the agent has no Memory, or lists a Tool of this name. */
function memoryCall(ref: string, agent: NamespacedName, { memory, tools = [] }: AgentSpec): MemoryCall | undefined {
  if (memory?.ref === undefined) return undefined;
  const place = parseRef(memory.ref, agent.namespace);
  const { namespace, name } = parseRef(ref, place.namespace);
  const operation = MEMORY_OPERATIONS.find((each) => memoryToolName(each) === name);
  const key = objectKey(parseRef(ref, agent.namespace));
  if (operation === undefined || namespace !== place.namespace || tools.some((tool) => objectKey(parseRef(tool, agent.namespace)) === key))
    return undefined;
  return { memory: place, operation, tool: { namespace, name } };
}

async function judgeMemoryCall(asked: CheckInput, { memory, operation, tool }: MemoryCall): Promise<CallVerdict | ImpossibleCall> {
  if (!asked.spec.memory?.allow?.includes(operation)) return notAllowed(asked.agent, tool);
  const { stored } = await find(asked.store, 'Memory', memory);
  return stored ? judgeBy(asked, tool.name, [memoryOperationClass(operation)]) : missing('Memory', memory);
}

/** A permitted call that cannot run at present: denied if that is permanent, else noted. */
function notRunnable(problem: CallError, permitted: CallVerdict, tool: NamespacedName): CallVerdict | ImpossibleCall {
  const rule = { kind: 'Tool', ...tool };
  const { code, message, reason = code } = problem;
  const { findings } = permitted;
  if (problem.retryable) return { ...permitted, findings: [...findings, finding(rule, 'none', message)] };
  return { verdict: 'deny', code, reason, message, rule, findings: [...findings, finding(rule, 'deny', message)] };
}

const governed = ({ task, system }: Run) => ({ ...(task && { task }), ...(system && { system }) });

function undeclared({ question: { operation }, tool }: CheckInput, classes: readonly string[]): RuleFinding[] {
  if (operation === undefined || classes.includes(operation)) return [];
  const rule = { kind: 'Tool', ...tool, path: 'spec.operation_classes' };
  return [
    finding(
      rule,
      'none',
      `${objectTitle('Tool', tool)} is not of class ${operation}, which is judged all the same; it is ${classes.join(', ')}`,
    ),
  ];
}

function impossible(code: ImpossibleCall['code'], rule: RuleRef, why: { reason: string; message: string }): ImpossibleCall {
  return { verdict: 'deny', code, ...why, rule, findings: [finding(rule, 'deny', why.message)] };
}

const MISSING: Readonly<Record<string, string>> = {
  Agent: 'agent_missing',
  AgentSystem: 'system_missing',
  Tool: 'tool_missing',
  Memory: 'memory_missing',
  ModelEndpoint: 'model_missing',
};

function missing(kind: string, key: NamespacedName): ImpossibleCall {
  const { namespace, name } = key;
  const reason = MISSING[kind] ?? 'missing';
  return impossible('not_found', { kind, namespace, name }, { reason, message: `${objectTitle(kind, key)} does not exist` });
}

function unlistedTool(agent: NamespacedName, tool: NamespacedName): ImpossibleCall {
  const message = `${objectTitle('Agent', agent)} does not list ${objectTitle('Tool', tool)} in its tools, so it cannot call it`;
  return impossible('unsupported_tool', { kind: 'Agent', ...agent, path: 'spec.tools' }, { reason: 'unsupported_tool', message });
}

function notAllowed(agent: NamespacedName, { name }: NamespacedName): ImpossibleCall {
  const message = `${objectTitle('Agent', agent)} cannot call ${name}: its memory.allow does not name the operation`;
  return impossible('unsupported_tool', { kind: 'Agent', ...agent, path: 'spec.memory.allow' }, { reason: 'unsupported_tool', message });
}

function notInSystem(agent: NamespacedName, system: NamespacedName): ImpossibleCall {
  const message = `${objectTitle('AgentSystem', system)} does not list ${objectTitle('Agent', agent)} in its agents, so it never runs there`;
  return impossible('not_found', { kind: 'AgentSystem', ...system, path: 'spec.agents' }, { reason: 'agent_not_in_system', message });
}

function routing(): CallVerdict {
  const rule = { kind: 'default' };
  return {
    verdict: 'allow',
    rule,
    findings: [finding(rule, 'allow', `${ROUTE_TOOL} only chooses the next agent of a run; it is not a call, so no rule governs it`)],
  };
}

// ---------------------------------------------------------------- the model

async function judgeModel(asked: CheckInput): Promise<NonNullable<AccessAnswer['model']>> {
  const { store, judge, question, agent, spec, run } = asked;
  const { key, stored } = await find(
    store,
    'ModelEndpoint',
    question.model === undefined ? parseRef(spec.model_ref, agent.namespace) : parseRef(question.model, question.namespace),
  );
  const model = (stored && specOf('ModelEndpoint', stored).default_model) ?? key.name;
  if (!stored) return { endpoint: key, model, verdict: missing('ModelEndpoint', key) };
  return { endpoint: key, model, verdict: await judge.model({ ...governed(run), endpoint: { ...key, model } }) };
}
