// An AgentSystem as a tool of MCP clients: its name, its arguments and their way into a Task. Pure.
import { isObject, type JsonObject } from '@svc/shared/json';
import { specOf, type ReadableSpec } from '@svc/shared/kinds/read';
import { DEFAULT_NAMESPACE, nameProblem, namespaceProblem, type NamespacedName } from '@svc/shared/resource';
import { MEANINGS_MAX } from './limits.ts';

/** The annotation that describes an object to its callers. */
const DESCRIPTION = 'svc.dev/description';
const HANDLE = /^mcp-[0-9a-f]{24}$/;

export interface ToolEntry {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown> & { type: 'object' };
}

export type System = ReadableSpec & NamespacedName & { readonly annotations: Readonly<Record<string, string>> };

export const isEnabled = (system: ReadableSpec): boolean => specOf('AgentSystem', system).mcp?.enabled === true;

const toolName = ({ namespace, name }: NamespacedName): string => (namespace === DEFAULT_NAMESPACE ? name : `${namespace}--${name}`);

/** Systems that a tool name may mean, the one it means first: names may hold `--` themselves. */
export function meaningsOf(tool: string): NamespacedName[] {
  const places: NamespacedName[] = [{ namespace: DEFAULT_NAMESPACE, name: tool }];
  for (let at = tool.indexOf('--', 1); at > 0 && places.length < MEANINGS_MAX; at = tool.indexOf('--', at + 1))
    places.push({ namespace: tool.slice(0, at), name: tool.slice(at + 2) });
  return places.filter(({ namespace, name }) => namespaceProblem(namespace) === undefined && nameProblem(name) === undefined);
}

const MESSAGE_SCHEMA = {
  type: 'object',
  properties: { message: { type: 'string', description: 'What the agents are to do.' } },
  required: ['message'],
  additionalProperties: false,
};

/** JSON Schema of the arguments that start a run. */
export const argumentsSchema = (system: ReadableSpec): Record<string, unknown> =>
  specOf('AgentSystem', system).mcp?.input_schema ?? MESSAGE_SCHEMA;

/**
 * The tool as clients see it. A call has either the arguments or a handle. Model providers refuse a schema with `anyOf` at the top, so what is required of
 * the first form is in the description.
 */
export function toolEntry(system: System): ToolEntry {
  const { required, ...schema } = argumentsSchema(system);
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  const needed = names.length > 0 ? ` Required without it: ${names.join(', ')}.` : '';
  const handle = {
    type: 'string',
    description: `Handle from the answer of an earlier call. It replaces all other arguments and returns the result of that run.${needed}`,
  };
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  return {
    name: toolName(system),
    description: system.annotations[DESCRIPTION] ?? `Runs the agent system ${system.namespace}/${system.name}.`,
    inputSchema: { ...schema, type: 'object', properties: { ...properties, handle } },
  };
}

/** The handle, when the call requests the result of an earlier one. Undefined: it starts a run. */
export function handleOf(args: JsonObject): string | undefined {
  const { handle } = args;
  return typeof handle === 'string' ? handle : undefined;
}

export const isHandle = (text: string): boolean => HANDLE.test(text);

/** The input of a Task holds texts: other values are their JSON. */
export const taskInput = (args: JsonObject): Record<string, string> =>
  Object.fromEntries(Object.entries(args).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]));
