// Reads and freezes every definition of a run, or returns all missing objects and broken routes at once.
import { systemProblems } from '@svc/shared/graph/graph';
import type { AgentSpec } from '@svc/shared/kinds/agent/rules';
import type { KindName, SpecOf } from '@svc/shared/kinds';
import { readSpec, specOf, statusOf } from '@svc/shared/kinds/read';
import { describeKey, parseRef, type ResourceKey } from '@svc/shared/resource';
import type { StoredObject, StoreReader } from '../../store/store.ts';
import type { RunSnapshot, ToolSnapshot, AgentSnapshot } from '../core/snapshot.ts';
import { withMemoryTools } from './memory-tools.ts';
import { withTrial } from './load-trial.ts';
import { pinnedObjects } from './pinned-versions.ts';
import { agentSettings, completionReviewOf, routingGraph, taskSettings } from './snapshot-settings.ts';
import type { ModelEndpointRef } from '../ports.ts';

export type Definitions =
  | { readonly kind: 'ready'; readonly snapshot: RunSnapshot }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] }
  /** An McpServer has still to import this tool. */
  | { readonly kind: 'waiting'; readonly blockedOn: BlockedOn };

export interface BlockedOn {
  readonly kind: string;
  readonly name: string;
  readonly reason: string;
}

/** The dependency that the status of a Task names. */
export function blockedOnOf(task: { readonly status: unknown }): BlockedOn | undefined {
  const { blockedOn } = statusOf('Task', task);
  return blockedOn && { kind: blockedOn.kind ?? '', name: blockedOn.name ?? '', reason: blockedOn.reason ?? '' };
}

/** Problems found while reading, one sentence each. */
interface Findings {
  /** Reads each object once. */
  readonly get: (key: ResourceKey) => Promise<StoredObject | undefined>;
  readonly problems: Set<string>;
  waiting: BlockedOn | undefined;
}

/** Agents of one run that differ from their definitions: by name, a ModelEndpoint (as the agent would name it) or a prompt. */
export interface AgentOverrides {
  readonly model?: Readonly<Record<string, string>> | undefined;
  readonly prompt?: Readonly<Record<string, string>> | undefined;
}

export async function loadDefinitions(reader: StoreReader, task: StoredObject, given?: AgentOverrides): Promise<Definitions> {
  const problems = new Set<string>();
  const pinned = pinnedObjects((key) => reader.getObject(key), { reader, task, problems });
  const findings: Findings = { get: readOnce(pinned.get), problems, waiting: undefined };
  const overrides = given ?? specOf('Task', task).trial?.overrides ?? {};
  const system = await find(findings, 'AgentSystem', { ref: read(findings, 'Task', task).system, namespace: task.namespace });
  if (!system) return { kind: 'invalid', problems: [...problems] };
  const agents: Record<string, AgentSnapshot> = {};
  const models: Record<string, ModelEndpointRef> = {};
  const tools: Record<string, ToolSnapshot> = {};
  const spec = read(findings, 'AgentSystem', system);
  await readAhead(findings, system, { names: spec.agents ?? [], overrides });
  for (const name of spec.agents ?? []) {
    const found = await find(findings, 'Agent', { ref: name, namespace: system.namespace });
    if (!found) continue;
    const agent = { namespace: found.namespace, spec: overridden(read(findings, 'Agent', found), name, overrides) };
    const model = await loadModel(findings, agent, models);
    const settings = rename(agentSettings(name, agent.spec), model, await loadTools(findings, agent, tools));
    await checkMemory(findings, agent);
    agents[name] = withMemoryTools(settings, agent, tools);
  }
  pinned.refuseUnused();
  const settings = taskSettings(task);
  for (const { path, message } of systemProblems(spec, settings.maxTurns)) problems.add(`${path} ${message}`);
  if (problems.size > 0) return { kind: 'invalid', problems: [...problems] };
  if (findings.waiting) return { kind: 'waiting', blockedOn: findings.waiting };
  const { namespace, name, generation } = system;
  const frozen = { namespace, name, generation, ...writerOf(system), ...routingGraph(spec), ...completionReviewOf(spec) };
  const snapshot = await withTrial({ reader, task, snapshot: { task: settings, system: frozen, agents, models, tools } }, problems);
  if (problems.size > 0) return { kind: 'invalid', problems: [...problems] };
  return { kind: 'ready', snapshot };
}

function readOnce(get: Findings['get']): Findings['get'] {
  const known = new Map<string, Promise<StoredObject | undefined>>();
  return (key) => {
    const text = describeKey(key);
    const found = known.get(text) ?? get(key);
    known.set(text, found);
    return found;
  };
}

interface Members {
  readonly names: readonly string[];
  readonly overrides: AgentOverrides;
}

/** Reads all agents together, then everything they refer to: a store in another process needs one round trip for each of the two. */
async function readAhead({ get }: Findings, { namespace: home }: StoredObject, { names, overrides }: Members): Promise<void> {
  const agents = await Promise.all(names.map((name) => get({ kind: 'Agent', ...parseRef(name, home) })));
  const keys = agents.flatMap((agent, place) => {
    if (!agent) return [];
    const { model_ref: model, tools = [], memory } = overridden(specOf('Agent', agent), names[place] ?? '', overrides);
    const keyOf = (kind: string) => (ref: string) => ({ kind, ...parseRef(ref, agent.namespace) });
    return [
      keyOf('ModelEndpoint')(model),
      ...tools.map(keyOf('Tool')),
      ...(memory?.ref === undefined ? [] : [keyOf('Memory')(memory.ref)]),
    ];
  });
  await Promise.all(keys.map(get));
}

function overridden(spec: AgentSpec, name: string, { model, prompt }: AgentOverrides): AgentSpec {
  const own = <Value>(values: Readonly<Record<string, Value>> | undefined) =>
    values && Object.hasOwn(values, name) ? values[name] : undefined;
  const [ownModel, ownPrompt] = [own(model), own(prompt)];
  return { ...spec, ...(ownModel !== undefined && { model_ref: ownModel }), ...(ownPrompt !== undefined && { prompt: ownPrompt }) };
}

const writerOf = ({ specBy }: StoredObject) => (specBy === undefined ? {} : { specBy });

/** A damaged definition ends the run as invalid: a part of it that is left out could be the one that limits a call. */
function read<Name extends KindName>({ problems }: Findings, kind: Name, object: StoredObject): SpecOf<Name> {
  const { value, problems: damage } = readSpec(kind, object);
  for (const { path, message } of damage) problems.add(`${kind} ${object.namespace}/${object.name} ${path} ${message}`);
  return value;
}

/** An Agent, and the namespace its references are read in. */
interface HomedAgent {
  readonly namespace: string;
  readonly spec: AgentSpec;
}

interface WantedRef {
  readonly ref: string;
  readonly namespace: string;
}

async function find({ get, problems }: Findings, kind: string, { ref, namespace }: WantedRef): Promise<StoredObject | undefined> {
  const key = { kind, ...parseRef(ref, namespace) };
  const found = await get(key);
  if (!found) problems.add(`${kind} ${key.namespace}/${key.name} does not exist`);
  return found;
}

/** Answers with its key in `models`. */
async function loadModel(findings: Findings, agent: HomedAgent, models: Record<string, ModelEndpointRef>): Promise<string> {
  const ref = agent.spec.model_ref;
  const key = keyOf(models, ref, agent.namespace);
  if (Object.hasOwn(models, key)) return key;
  const model = await find(findings, 'ModelEndpoint', { ref, namespace: agent.namespace });
  if (model) models[key] = { namespace: model.namespace, name: model.name, spec: read(findings, 'ModelEndpoint', model) };
  return key;
}

/** Answers with the key in `tools` of each that the agent lists. */
async function loadTools(findings: Findings, agent: HomedAgent, tools: Record<string, ToolSnapshot>): Promise<Map<string, string>> {
  const keys = new Map<string, string>();
  for (const ref of agent.spec.tools ?? []) {
    const key = keyOf(tools, ref, agent.namespace);
    keys.set(ref, key);
    if (Object.hasOwn(tools, key)) continue;
    const place = { kind: 'Tool', ...parseRef(ref, agent.namespace) };
    const tool = await findings.get(place);
    if (tool) tools[key] = { namespace: tool.namespace, name: tool.name, ...writerOf(tool), spec: read(findings, 'Tool', tool) };
    else await missingTool(findings, place);
  }
  return keys;
}

/** As the agent names it; where an agent of another namespace means another object by that name, with its namespace. */
function keyOf(known: Readonly<Record<string, { namespace: string; name: string }>>, ref: string, home: string): string {
  const { namespace, name } = parseRef(ref, home);
  const there = Object.hasOwn(known, ref) ? known[ref] : undefined;
  return !there || (there.namespace === namespace && there.name === name) ? ref : `${namespace}/${name}`;
}

function rename(agent: AgentSnapshot, model: string, tools: ReadonlyMap<string, string>): AgentSnapshot {
  const keys = (refs: readonly string[]) => refs.map((ref) => tools.get(ref) ?? ref);
  return { ...agent, model, tools: keys(agent.tools), toolSequence: keys(agent.toolSequence) };
}

/** A tool that an existing McpServer generates (`<server>--<tool>`) may still be imported; any other one is missing. */
async function missingTool(findings: Findings, key: { namespace: string; name: string }): Promise<void> {
  const parts = key.name.split('--');
  for (let length = 1; length < parts.length; length += 1) {
    const name = parts.slice(0, length).join('--');
    const server = await findings.get({ kind: 'McpServer', namespace: key.namespace, name });
    if (!server) continue;
    findings.waiting = { kind: 'McpServer', name, reason: `tool ${key.name} is not imported yet` };
    return;
  }
  findings.problems.add(`Tool ${key.namespace}/${key.name} does not exist`);
}

async function checkMemory(findings: Findings, agent: HomedAgent): Promise<void> {
  const ref = agent.spec.memory?.ref;
  if (ref !== undefined) await find(findings, 'Memory', { ref, namespace: agent.namespace });
}
