// Tools of an MCP server as the page lists them: discovered, filtered out or generated, with their estimated cost in a model's context. Pure.
import type { StatusOf } from '@svc/shared/kinds';
import type { Resource } from '@svc/shared/resource';
import { estimateTokens } from '@svc/shared/token-estimate';
import { specOf } from '../../../kinds/read.ts';

/** `missing`: the filter lets it pass, but it has no Tool; `unlisted`: the filter names it, but the server does not list it. */
export type ToolRowState = 'generated' | 'filtered' | 'missing' | 'unlisted';

export interface ToolRow {
  /** Name at the server. */
  readonly name: string;
  readonly state: ToolRowState;
  /** Generated Tool, once it is loaded. */
  readonly tool?: Resource;
  /** Estimated tokens of its name, description and input schema in each model call. */
  readonly tokens?: number;
}

export interface ToolRowsInput {
  readonly status: Pick<StatusOf<'McpServer'>, 'discoveredTools'>;
  /** `spec.tool_filter.include`; none means all. */
  readonly include: readonly string[] | undefined;
  readonly tools: readonly Resource[];
}

const estimates = new WeakMap<Resource, number>();

/** Estimate for the definition that models receive. */
export function contextTokens(tool: Resource): number {
  const known = estimates.get(tool);
  if (known !== undefined) return known;
  const { description, input_schema: inputSchema } = specOf('Tool', tool);
  const tokens = estimateTokens(JSON.stringify({ name: tool.metadata.name, description, inputSchema }));
  estimates.set(tool, tokens);
  return tokens;
}

const byName = (a: ToolRow, b: ToolRow): number => a.name.localeCompare(b.name, 'en');

export function toolRows({ status, include = [], tools }: ToolRowsInput): ToolRow[] {
  const discovered = new Set(status.discoveredTools);
  const generated = new Map(tools.map((tool) => [specOf('Tool', tool).mcp_tool_name ?? tool.metadata.name, tool]));
  const filter = new Set(include);
  const names = new Set([...discovered, ...generated.keys(), ...filter]);
  return [...names]
    .map((name): ToolRow => {
      const tool = generated.get(name);
      if (tool) return { name, state: 'generated', tool, tokens: contextTokens(tool) };
      if (!discovered.has(name)) return { name, state: 'unlisted' };
      return { name, state: filter.size > 0 && !filter.has(name) ? 'filtered' : 'missing' };
    })
    .sort(byName);
}

export function totalTokens(rows: readonly ToolRow[]): number {
  return rows.reduce((sum, { tokens = 0 }) => sum + tokens, 0);
}
