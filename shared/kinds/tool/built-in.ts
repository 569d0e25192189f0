// Tools that runs have without an object of kind Tool. The console loads it on every page of an object, so it includes no schemas.
import type { Reference } from '../define.ts';

/** Offered to an agent whose routes have labels: it chooses where the work goes next. */
export const ROUTE_TOOL = 'route.choose';

/** Operations of an agent on its Memory. */
export const MEMORY_OPERATIONS = ['read', 'write', 'search', 'list', 'ingest'] as const;

/** Tool of an operation on the Memory of an agent. */
export const memoryToolName = (operation: string): string => `memory.${operation}`;

/** Operation class of that tool. */
export const memoryOperationClass = (operation: string): 'read' | 'write' =>
  operation === 'write' || operation === 'ingest' ? 'write' : 'read';

const NAMES: ReadonlySet<string> = new Set([ROUTE_TOOL, ...MEMORY_OPERATIONS.map(memoryToolName)]);

/** Rules name these tools like others. The `tools` of an Agent do not: it has its built-in tools by its routes and its memory. */
export const isBuiltInTool = ({ kind, name, path }: Reference): boolean =>
  kind === 'Tool' && NAMES.has(name) && !path.startsWith('spec.tools');
