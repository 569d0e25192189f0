// Prompt and tools of an agent, as the run froze them when the attempt began. Pure over the snapshot; it is independent of any Secret.
import type { JsonObject } from '@svc/shared/json';
import type { ToolSpec } from '@svc/shared/kinds/tool/normalize';
import type { AgentDefinition, ToolDefinition } from '@svc/shared/api/runs';
import { graphPlan } from '../core/graph-plan.ts';
import type { RunSnapshot } from '../core/snapshot.ts';
import { routeChoice } from '../core/tool-calls.ts';

/** Undefined for an agent that the run does not have. */
export function agentDefinition(snapshot: RunSnapshot, name: string): AgentDefinition | undefined {
  const agent = Object.hasOwn(snapshot.agents, name) ? snapshot.agents[name] : undefined;
  if (!agent) return undefined;
  const tools = agent.tools.map((tool) => toolDefinition(tool, snapshot.tools[tool]?.spec));
  const choice = routeDefinition(name, snapshot);
  return { agent: name, prompt: agent.prompt, tools, withdraws: agent.profile === 'dynamic', ...(choice && { choice }) };
}

function routeDefinition(agent: string, snapshot: RunSnapshot): ToolDefinition | undefined {
  const choice = routeChoice(graphPlan(snapshot), agent);
  return (
    choice &&
    toolDefinition(choice.name, {
      ...(choice.description !== undefined && { description: choice.description }),
      ...(choice.inputSchema && { input_schema: choice.inputSchema }),
    })
  );
}

/** The parts of a Tool that the model receives, and no others. */
function toolDefinition(name: string, { description, input_schema }: Partial<ToolSpec> = {}): ToolDefinition {
  return { name, ...(description && { description }), ...(input_schema && { input_schema: input_schema as JsonObject }) };
}
