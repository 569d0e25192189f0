// Tools of an agent's Memory: frozen into the run like any Tool, so that governance, approvals, budgets and the journal treat them alike.
import { memoryOperationClass, memoryToolName } from '@svc/shared/kinds/tool/built-in';
import { normalizeTool } from '@svc/shared/kinds/tool/normalize';
import type { AgentSpec } from '@svc/shared/kinds/agent/rules';
import { parseRef } from '@svc/shared/resource';
import type { AgentSnapshot, ToolSnapshot } from '../core/snapshot.ts';

type Operation = NonNullable<NonNullable<AgentSpec['memory']>['allow']>[number];

interface Shape {
  readonly description: string;
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
}

const text = (description: string) => ({ type: 'string', description });
const count = (description: string, fallback: number, maximum: number) => ({
  type: 'integer',
  minimum: 1,
  maximum,
  default: fallback,
  description,
});

/** Results of one search or list. */
const PAGE_MAX = 1_000;

const SHAPES: Readonly<Record<string, Shape>> = {
  read: {
    description: 'Reads one entry of the memory by its key.',
    properties: { key: text('Key of the entry.') },
    required: ['key'],
  },
  write: {
    description: 'Stores a value in the memory under a key, in place of an earlier value.',
    properties: { key: text('Key of the entry, at most 512 bytes.'), value: text('The value, at most 256 KiB.') },
    required: ['key', 'value'],
  },
  search: {
    description: 'Searches the memory and returns the best entries first.',
    properties: { query: text('Words or a sentence to search for.'), top_k: count('Most results.', 10, PAGE_MAX) },
    required: ['query'],
  },
  list: {
    description: 'Lists entries of the memory in the order of their keys.',
    properties: {
      prefix: text('Only keys that begin with it.'),
      limit: count('Most entries.', 100, PAGE_MAX),
      after: text('Value of `continue` of the page before.'),
    },
    required: [],
  },
  ingest: {
    description: 'Stores a document in the memory in overlapping segments, in place of an earlier version of the same source.',
    properties: {
      source: text('Name of the document; keys of its segments begin with it.'),
      content: text('Text of the document, at most 10 MiB.'),
      chunk_size: count('Characters of a segment.', 1_000, 100_000),
      overlap: { type: 'integer', minimum: 0, default: 200, description: 'Characters that neighbours share.' },
    },
    required: ['source', 'content'],
  },
};

/** Prefix of `spec.endpoint` of such a tool; `namespace/name` of the Memory follows. */
const SCHEME = 'memory:';

/** Adds the tools that `spec.memory.allow` names to the run, and to the agent by their keys in it. */
export function withMemoryTools(
  agent: AgentSnapshot,
  { namespace, spec }: { readonly namespace: string; readonly spec: AgentSpec },
  tools: Record<string, ToolSnapshot>,
): AgentSnapshot {
  const { ref, allow = [] } = spec.memory ?? {};
  if (ref === undefined) return agent;
  const memory = parseRef(ref, namespace);
  const keys = allow.flatMap((operation) => {
    const tool = memoryTool(operation, memory);
    if (!tool) return [];
    const key = keyOf(tools, tool, `${memory.namespace}/${memory.name}/${tool.name}`);
    tools[key] = tool;
    return [key];
  });
  return { ...agent, tools: [...new Set([...agent.tools, ...keys])] };
}

/** Key of the tool: its own name, unless another tool of the run has that name. */
function keyOf(tools: Readonly<Record<string, ToolSnapshot>>, { name, spec }: ToolSnapshot, longName: string): string {
  const known = Object.hasOwn(tools, name) ? tools[name] : undefined;
  return !known || known.spec.endpoint === spec.endpoint ? name : longName;
}

function memoryTool(operation: Operation, { namespace, name }: { namespace: string; name: string }): ToolSnapshot | undefined {
  const shape = SHAPES[operation];
  if (!shape) return undefined;
  const { description, properties, required } = shape;
  return {
    namespace,
    name: memoryToolName(operation),
    spec: normalizeTool({
      type: 'memory',
      endpoint: `${SCHEME}${namespace}/${name}`,
      description,
      input_schema: { type: 'object', properties: { ...properties }, required: [...required], additionalProperties: false },
      operation_classes: [memoryOperationClass(operation)],
    }),
  };
}
