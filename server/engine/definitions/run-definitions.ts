// All definitions of a run as one attempt froze them, for comparisons. Pure over the snapshot: no endpoint, no name of a Secret leaves it.
import { createHash } from 'node:crypto';
import type { RunDefinitions } from '@svc/shared/api/runs';
import type { JsonObject } from '@svc/shared/json';
import type { AgentSnapshot, RunSnapshot, ToolSnapshot } from '../core/snapshot.ts';
import type { ModelEndpointRef } from '../ports.ts';

export function runDefinitions(attempt: number, snapshot: RunSnapshot): RunDefinitions {
  const { namespace, name, generation, specBy: _, ...graph } = snapshot.system;
  return {
    attempt,
    system: { namespace, name, generation, graph: graph as unknown as JsonObject },
    agents: Object.values(snapshot.agents).map(frozenAgent),
    models: Object.values(snapshot.models).map(frozenModel),
    tools: Object.entries(snapshot.tools).map(([called, tool]) => frozenTool(called, tool)),
  };
}

function frozenAgent({ name, prompt, model, tools, roles, allowedTools, ...settings }: AgentSnapshot): RunDefinitions['agents'][number] {
  return { name, prompt, model, tools, roles, allowed_tools: allowedTools, settings: settings };
}

function frozenModel({ namespace, name, spec }: ModelEndpointRef): RunDefinitions['models'][number] {
  const { provider, default_model, options } = spec;
  return {
    namespace,
    name,
    provider,
    ...(default_model !== undefined && { default_model }),
    options: { ...options },
    fingerprint: fingerprint(spec),
  };
}

/** `called`: the name by which agents call it. */
function frozenTool(called: string, { namespace, spec }: ToolSnapshot): RunDefinitions['tools'][number] {
  const { type, risk_level, description, input_schema } = spec;
  return {
    namespace,
    name: called,
    type,
    risk_level,
    ...(description && { description }),
    ...(input_schema && { input_schema: input_schema as JsonObject }),
    fingerprint: fingerprint(spec),
  };
}

function fingerprint(spec: object): string {
  return `sha256:${createHash('sha256').update(JSON.stringify(spec, sortedKeys)).digest('hex')}`;
}

/** Equal specs have one text, whatever the order of their fields. */
function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
