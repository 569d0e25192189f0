// Differences of the definitions that two runs froze: what a person changed between them. Pure.
import type { RunDefinitions } from '@svc/shared/api/runs';
import type { TraceEntry } from '@svc/shared/kinds/task/records';

/** One difference. Texts are compared word by word, other values as JSON. */
export interface DefinitionChange {
  /** "Prompt of answers". */
  readonly title: string;
  readonly before: unknown;
  readonly after: unknown;
}

interface Part {
  readonly title: string;
  readonly value: unknown;
}

/**
 * Prompts first, because they change most often; then models, tools, roles and settings; the graph of the system last. An agent that the
 * other run lacks is its prompt alone.
 */
function partsOf({ agents, models, tools, system }: RunDefinitions, other: RunDefinitions): readonly Part[] {
  const { name, namespace, graph } = system;
  const both = agents.filter((agent) => other.agents.some((each) => each.name === agent.name));
  return [
    ...agents.map((agent) => ({ title: `Prompt of ${agent.name}`, value: agent.prompt })),
    ...both.map((agent) => ({ title: `Model of ${agent.name}`, value: agent.model })),
    ...models.map(({ name: model, ...rest }) => ({ title: `Model endpoint ${model}`, value: rest })),
    ...both.map((agent) => ({ title: `Tools of ${agent.name}`, value: agent.tools })),
    ...tools.map(({ name: tool, ...rest }) => ({ title: `Tool ${tool}`, value: rest })),
    ...both.map((agent) => ({ title: `Access of ${agent.name}`, value: { roles: agent.roles, allowed_tools: agent.allowed_tools } })),
    ...both.map((agent) => ({ title: `Settings of ${agent.name}`, value: agent.settings })),
    { title: 'System', value: `${namespace}/${name}` },
    { title: 'Graph of the system', value: graph },
  ];
}

/** Parts of the left in their order, those of the right only after them. */
export function definitionChanges(left: RunDefinitions, right: RunDefinitions): DefinitionChange[] {
  return changesOf(partsOf(left, right), partsOf(right, left));
}

function changesOf(left: readonly Part[], right: readonly Part[]): DefinitionChange[] {
  const before = new Map(left.map(({ title, value }) => [title, value]));
  const after = new Map(right.map(({ title, value }) => [title, value]));
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((title) => ({ title, before: before.get(title), after: after.get(title) }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
}

/** Rules are read at each call, so they are in no frozen definition: the trace names those that decided. */
export function policyChanges(left: readonly TraceEntry[], right: readonly TraceEntry[]): DefinitionChange[] {
  return changesOf(verdictsOf(left), verdictsOf(right));
}

function verdictsOf(entries: readonly TraceEntry[]): readonly Part[] {
  const verdicts = new Map<string, Set<string>>();
  for (const { agent, tool, tool_code: code, rule } of entries) {
    if (tool === undefined || rule === undefined) continue;
    const title = `Policy for ${agent ?? 'an agent'} calling ${tool}`;
    const by = rule.kind === 'default' ? 'the default of the server' : `${rule.kind} ${rule.name ?? ''} ${rule.path ?? ''}`.trim();
    const known = verdicts.get(title) ?? new Set();
    verdicts.set(title, known.add(`${code ?? 'decided'} by ${by}`));
  }
  return [...verdicts].map(([title, values]) => ({ title, value: [...values].sort().join('\n') }));
}

/** Verdicts of a call that only one of the runs made do not show a changed rule. */
export function isComparable({ before, after }: DefinitionChange): boolean {
  return before !== undefined && after !== undefined;
}
