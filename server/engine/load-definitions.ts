// Reads every definition a run will use and freezes it, or says at once everything that stands in the way. Source: DECISIONS section 3 "Transitions".
import type { JsonObject } from '@svc/shared/json';
import { systemProblems } from '@svc/shared/graph/graph';
import { parseRef } from '@svc/shared/resource';
import type { StoredObject, StoreReader } from '../store/store.ts';
import type { RunSnapshot, ModelSnapshot, ToolSnapshot, AgentSnapshot } from './core/snapshot.ts';
import { agentSettings, completionReviewOf, routingGraph, taskSettings, type SystemSpecView } from './snapshot-settings.ts';
import type { ModelEndpointSpec } from './ports.ts';

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

/** What was found while reading; `missing` holds one sentence per absent object. */
interface Findings {
  readonly reader: StoreReader;
  readonly problems: Set<string>;
  waiting: BlockedOn | undefined;
}

export async function loadDefinitions(reader: StoreReader, task: StoredObject): Promise<Definitions> {
  const findings: Findings = { reader, problems: new Set(), waiting: undefined };
  const system = await find(findings, 'AgentSystem', { ref: text(task.spec['system']), namespace: task.namespace });
  if (!system) return { kind: 'invalid', problems: [...findings.problems] };
  const agents: Record<string, AgentSnapshot> = {};
  const models: Record<string, ModelSnapshot> = {};
  const tools: Record<string, ToolSnapshot> = {};
  for (const name of strings(system.spec['agents'])) {
    const agent = await find(findings, 'Agent', { ref: name, namespace: system.namespace });
    if (!agent) continue;
    agents[name] = agentSettings(name, agent.spec);
    await loadModel(findings, agent, models);
    await loadTools(findings, agent, tools);
    await checkMemory(findings, agent);
  }
  const settings = taskSettings(task);
  const spec = system.spec as SystemSpecView;
  for (const { path, message } of systemProblems(spec, settings.maxTurns)) findings.problems.add(`${path} ${message}`);
  if (findings.problems.size > 0) return { kind: 'invalid', problems: [...findings.problems] };
  if (findings.waiting) return { kind: 'waiting', blockedOn: findings.waiting };
  const { namespace, name, generation } = system;
  const frozen = { namespace, name, generation, ...routingGraph(spec), ...completionReviewOf(spec) };
  const snapshot = { task: settings, system: frozen, agents, models, tools };
  return { kind: 'ready', snapshot };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

interface Wanted {
  readonly ref: string;
  readonly namespace: string;
}

async function find({ reader, problems }: Findings, kind: string, { ref, namespace }: Wanted): Promise<StoredObject | undefined> {
  const key = { kind, ...parseRef(ref, namespace) };
  const found = await reader.getObject(key);
  if (!found) problems.add(`${kind} ${key.namespace}/${key.name} does not exist`);
  return found;
}

async function loadModel(findings: Findings, agent: StoredObject, models: Record<string, ModelSnapshot>): Promise<void> {
  const ref = text(agent.spec['model_ref']);
  if (Object.hasOwn(models, ref)) return;
  const model = await find(findings, 'ModelEndpoint', { ref, namespace: agent.namespace });
  if (model) models[ref] = { namespace: model.namespace, name: model.name, spec: model.spec as unknown as ModelEndpointSpec };
}

async function loadTools(findings: Findings, agent: StoredObject, tools: Record<string, ToolSnapshot>): Promise<void> {
  for (const ref of strings(agent.spec['tools'])) {
    if (Object.hasOwn(tools, ref)) continue;
    const key = { kind: 'Tool', ...parseRef(ref, agent.namespace) };
    const tool = await findings.reader.getObject(key);
    if (tool) tools[ref] = { namespace: tool.namespace, name: tool.name, spec: tool.spec as JsonObject };
    else await missingTool(findings, key);
  }
}

/** A tool that an existing McpServer generates (`<server>--<tool>`) may come yet; any other one is missing. */
async function missingTool(findings: Findings, key: { namespace: string; name: string }): Promise<void> {
  const parts = key.name.split('--');
  for (let length = 1; length < parts.length; length += 1) {
    const name = parts.slice(0, length).join('--');
    const server = await findings.reader.getObject({ kind: 'McpServer', namespace: key.namespace, name });
    if (!server) continue;
    findings.waiting = { kind: 'McpServer', name, reason: `tool ${key.name} is not imported yet` };
    return;
  }
  findings.problems.add(`Tool ${key.namespace}/${key.name} does not exist`);
}

async function checkMemory(findings: Findings, agent: StoredObject): Promise<void> {
  const ref = text((agent.spec['memory'] as { ref?: unknown } | undefined)?.ref);
  if (ref !== '') await find(findings, 'Memory', { ref, namespace: agent.namespace });
}
