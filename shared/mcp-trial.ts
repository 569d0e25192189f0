// Trial of one tool of an McpServer, for the console and svcctl: an agent system whose scripted model calls the tool once, so that the call passes governance like any other. Pure.
import type { Json, JsonObject } from './json.ts';
import type { ResourceKey } from './resource.ts';

/** Label of all objects of a trial: the McpServer. */
export const TRIAL_LABEL = 'svc.dev/mcp-trial';
/** Annotation of the run: the tried Tool. */
export const TRIAL_TOOL = 'svc.dev/trial-tool';

export interface Trial {
  /** Name of its run, system, agent and model. */
  readonly name: string;
  readonly namespace: string;
  readonly server: string;
  readonly tool: string;
  readonly input: Json;
  readonly roles: readonly string[];
}

export function trialName(now: Date): string {
  return `try-${now
    .toISOString()
    .slice(2, 23)
    .replace(/[-:T.]/g, '')}`;
}

/** Applied together or not at all. */
export function trialDocuments({ name, namespace, server, tool, input, roles }: Trial): JsonObject[] {
  const labels = { [TRIAL_LABEL]: server };
  const document = (kind: string, spec: JsonObject): JsonObject => ({
    apiVersion: 'svc.dev/v1',
    kind,
    metadata: { name, namespace, labels, annotations: { [TRIAL_TOOL]: tool } },
    spec,
  });
  const script = JSON.stringify([{ tool, input }, { text: '{{result}}' }]);
  return [
    document('ModelEndpoint', { provider: 'mock', options: { script } }),
    document('Agent', {
      model_ref: name,
      prompt: `Calls ${tool} once.`,
      tools: [tool],
      ...(roles.length > 0 && { roles: [...roles] }),
      limits: { max_steps: 2 },
    }),
    document('AgentSystem', { agents: [name], graph: { [name]: {} } }),
    document('Task', { system: name, input: { request: `Call ${tool}.` } }),
  ];
}

/** Objects of a trial; the run last, because its row names the trial. */
export function trialObjects({ name, namespace }: Pick<Trial, 'name' | 'namespace'>): ResourceKey[] {
  return ['AgentSystem', 'Agent', 'ModelEndpoint', 'Task'].map((kind) => ({ kind, namespace, name }));
}
