// Decides which Tools an McpServer generates: names, specs, clashes and removals. Pure.
import { MCP_SERVER_OWNER } from '@svc/shared/generated-objects';
import { jsonEquals } from '@svc/shared/json';
import type { McpServerStatus } from '@svc/shared/kinds/mcp-server/schema';
import { specOf } from '@svc/shared/kinds/read';
import { normalizeTool, type ToolSpec } from '@svc/shared/kinds/tool/normalize';
import { trimEnd } from '@svc/shared/trim-end';
import type { StoredObject } from '../../store/store.ts';
import { redactJson } from '../../egress/redact.ts';
import type { DiscoveredTool } from '../connection.ts';

/** Annotation of a generated Tool: operation class and risk as derived from the server's annotations; other values are the operator's. */
const DERIVED_ANNOTATION = 'svc.dev/mcp-derived';
const NAME_MAX_CHARS = 253;
/** Removed Tools that are remembered. Once there are more, a new Tool is governed as strictly as can be: it may be one that was forgotten. */
const REMOVED_MAX = 500;

export interface SyncInput {
  readonly server: string;
  readonly namespace: string;
  readonly discovered: readonly DiscoveredTool[];
  /** Names to import; none means all. */
  readonly include: readonly string[] | undefined;
  /** Tools of the namespace that carry this server's annotation, or one of the names to generate. */
  readonly present: readonly StoredObject[];
  /** Removed Tools, as the plan before left them. */
  readonly removed: readonly RemovedTool[];
}

type RemovedTool = NonNullable<McpServerStatus['removedTools']>[number];

export interface ToolWrite {
  readonly name: string;
  /** Absent: the Tool is made. */
  readonly resourceVersion?: number;
  readonly body: unknown;
}

export interface SyncPlan {
  readonly writes: readonly ToolWrite[];
  readonly removals: readonly StoredObject[];
  /** Names of all Tools that the server has generated once the plan is carried out. */
  readonly generated: readonly string[];
  /** One sentence each. */
  readonly clashes: readonly string[];
  readonly skipped: readonly string[];
  /** Names of Tools that are governed more strictly than the server's hints say. */
  readonly stricter: readonly string[];
  /** Removed Tools once the plan is carried out. */
  readonly removed: readonly RemovedTool[];
}

/** A Tool without the annotation is owned by what it calls: an apply of a manifest replaces annotations. */
export function isOwned(tool: StoredObject, server: string): boolean {
  const owner = tool.annotations[MCP_SERVER_OWNER];
  return owner === undefined ? isImport(tool, server) : owner === server;
}

function isImport(tool: StoredObject, server: string): boolean {
  const { type, mcp_server_ref, mcp_tool_name = '' } = specOf('Tool', tool);
  return type === 'mcp' && mcp_server_ref === server && generatedName(server, mcp_tool_name) === tool.name;
}

/** `<server>--<tool>`; characters other than ASCII letters and digits become "-". Undefined for a name without any. */
export function generatedName(server: string, tool: string): string | undefined {
  const part = trimEnd(tool.replaceAll(/[^A-Za-z0-9]/g, '-'), '-');
  return part === '' ? undefined : `${server}--${part}`;
}

/** The list without values of Secrets: the server has received them, and may repeat them in texts that readers and models see. */
export function maskTools(listed: readonly DiscoveredTool[], secrets: ReadonlySet<string>): readonly DiscoveredTool[] {
  return redactJson(listed, [...secrets]).map((tool, index) => (tool.name === listed[index]?.name ? tool : { ...tool, nameMasked: true }));
}

export function planSync(input: SyncInput): SyncPlan {
  const { server, discovered, include, present } = input;
  const wanted = discovered.filter(({ name }) => !include?.length || include.includes(name));
  const names = new Map<string, DiscoveredTool[]>();
  const skipped: string[] = [];
  for (const tool of wanted) {
    const name = generatedName(server, tool.name);
    const problem = importProblem(tool, name);
    if (name === undefined || problem !== undefined)
      skipped.push(`tool ${quoted(tool.name)} was not imported: ${problem ?? 'it has no name'}`);
    else names.set(name, [...(names.get(name) ?? []), tool]);
  }
  const byName = new Map(present.map((tool) => [tool.name, tool]));
  const clashes: string[] = [];
  const writes: ToolWrite[] = [];
  const generated: string[] = [];
  const stricter: string[] = [];
  const remembered = new Map(input.removed.map((tool) => [tool.name ?? '', tool]));
  for (const [name, [tool, ...others]] of names) {
    const current = byName.get(name);
    if (!tool) continue;
    if (others.length > 0)
      clashes.push(`the tools ${[tool, ...others].map((one) => quoted(one.name)).join(' and ')} both make the Tool "${name}"`);
    else if (current && !isOwned(current, server))
      clashes.push(`tool ${quoted(tool.name)} makes the Tool "${name}", which ${ownerOf(current)}`);
    else {
      generated.push(name);
      const before = current ? governedOf(current) : (remembered.get(name) ?? (remembered.size < REMOVED_MAX ? undefined : STRICTEST));
      const governed = govern(derive(tool), before);
      if (governed.isStricter) stricter.push(name);
      const write = writeOf(input, tool, { name, current, governed });
      if (write) writes.push(write);
    }
  }
  const kept = new Set(names.keys());
  const removals = present.filter((tool) => isOwned(tool, server) && !kept.has(tool.name));
  for (const name of generated) remembered.delete(name);
  for (const tool of removals) {
    const governed = governedOf(tool);
    if (!jsonEquals(governed, LOOSEST)) remembered.set(tool.name, { name: tool.name, ...governed });
  }
  const removed = [...remembered.values()].slice(0, REMOVED_MAX);
  return { writes, removals, generated, clashes, skipped, stricter: stricter.sort(), removed };
}

function ownerOf(tool: StoredObject): string {
  const owner = tool.annotations[MCP_SERVER_OWNER];
  return owner === undefined ? 'exists and is not generated' : `the McpServer "${owner}" generates too`;
}

function importProblem({ name, nameMasked, execution }: DiscoveredTool, generated: string | undefined): string | undefined {
  if (execution?.taskSupport === 'required') return 'its calls must be tasks of the protocol, which this service does not use';
  if (nameMasked === true) return 'its name contains the value of a Secret';
  if (generated === undefined) return 'its name has no letter or digit';
  if (name !== name.trim()) return 'its name begins or ends with white space';
  return generated.length > NAME_MAX_CHARS ? `its Tool would have a name of more than ${NAME_MAX_CHARS} characters` : undefined;
}

const quoted = (name: string): string => JSON.stringify(name.slice(0, 80));

interface Place {
  readonly name: string;
  readonly current: StoredObject | undefined;
  readonly governed: GovernedTool;
}

function writeOf({ server, namespace }: SyncInput, tool: DiscoveredTool, { name, current, governed }: Place): ToolWrite | undefined {
  const before = current && specOf('Tool', current);
  const written = {
    ...before,
    type: 'mcp',
    mcp_server_ref: server,
    mcp_tool_name: tool.name,
    description: tool.description ?? '',
    input_schema: tool.inputSchema,
    output_schema: tool.outputSchema,
    ...governed.spec,
  };
  const spec = normalizeTool(written);
  const annotations = { ...current?.annotations, [MCP_SERVER_OWNER]: server, [DERIVED_ANNOTATION]: governed.derived };
  const labels = { ...current?.labels, [MCP_SERVER_OWNER]: server };
  if (current && before && jsonEquals(before, spec) && jsonEquals(current.annotations, annotations) && jsonEquals(current.labels, labels)) {
    return undefined;
  }
  return {
    name,
    ...(current && { resourceVersion: current.resourceVersion }),
    body: { kind: 'Tool', metadata: { namespace, name, annotations, labels }, spec },
  };
}

interface DerivedRisk {
  readonly operation: 'read' | 'write';
  readonly risk: 'low' | 'high';
}

/** A tool counts as writing unless its server says that it only reads. */
function derive({ annotations }: DiscoveredTool): DerivedRisk {
  const reads = annotations?.readOnlyHint === true;
  return { operation: reads ? 'read' : 'write', risk: !reads && annotations?.destructiveHint === true ? 'high' : 'low' };
}

/** Operation classes and risk of a Tool, and those last derived for it. */
type Governance = Omit<RemovedTool, 'name'>;

const LOOSEST: Governance = { operation_classes: ['read'], risk_level: 'low', derived: 'read/low' };
const STRICTEST: Governance = { operation_classes: ['write'], risk_level: 'high', derived: 'write/high' };

function governedOf(tool: StoredObject): Governance {
  const { operation_classes = [], risk_level } = specOf('Tool', tool);
  return { operation_classes: [...operation_classes], risk_level, derived: tool.annotations[DERIVED_ANNOTATION] ?? '' };
}

interface GovernedTool {
  readonly spec: Pick<ToolSpec, 'operation_classes' | 'risk_level'>;
  readonly derived: string;
  readonly isStricter: boolean;
}

/**
 * Values that differ from those last derived are the operator's, and stay. Hints of the server move the others to the stricter side only: rules may
 * depend on them, and the server must not lift these rules.
 */
function govern(hints: DerivedRisk, before: Governance | undefined): GovernedTool {
  const [operation, risk] = before?.derived?.split('/') ?? [];
  const own = {
    operation: before !== undefined && !jsonEquals(before.operation_classes, [operation]),
    risk: before !== undefined && before.risk_level !== risk,
  };
  const keepsOperation = !own.operation && operation === 'write' && hints.operation === 'read';
  const keepsRisk = !own.risk && risk === 'high' && hints.risk === 'low';
  const next: DerivedRisk = { operation: keepsOperation ? 'write' : hints.operation, risk: keepsRisk ? 'high' : hints.risk };
  return {
    spec: {
      operation_classes: own.operation ? (before?.operation_classes ?? []) : [next.operation],
      risk_level: own.risk ? (before?.risk_level ?? next.risk) : next.risk,
    },
    derived: `${next.operation}/${next.risk}`,
    isStricter: keepsOperation || keepsRisk,
  };
}
