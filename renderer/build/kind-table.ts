// Builds the table of kinds at build time: the facts of each kind for tables, menus and links, without zod and the rules of the whole
// definitions.
import type { Column, KindDefinition } from '../../shared/kinds/define.ts';
import { kinds } from '../../shared/kinds/index.ts';
import { fieldAt, kindFields } from '../../shared/kinds/kind-fields.ts';
import type { Plugin } from 'vite';
import type { KindSummary, SummaryColumn } from '../kinds/kind-summary.ts';
import { storedShapes } from './stored-shapes.ts';

const ID = 'virtual:kind-table';

/** Parts of a definition that are data and that the first screen needs. */
const SUMMARY = [
  'kind',
  'plural',
  'shortNames',
  'description',
  'area',
  'title',
  'phases',
  'initialPhase',
  'terminalPhases',
  'outcomes',
  'columns',
  'actions',
  'fieldSelectors',
  'heavyStatusFields',
  'applyOrder',
  'writeOnly',
  'serviceManaged',
  'keepsVersions',
  'heartbeats',
  'servesAllNamespaces',
  'verdictPart',
  'enablesCalls',
  'countsRuns',
  'fixedSpec',
  'renamable',
  'localNames',
  'nextStep',
] as const satisfies readonly (keyof KindSummary)[];

function summaries(): readonly KindSummary[] {
  return kinds.map((kind) => {
    const facts = Object.fromEntries(SUMMARY.map((field) => [field, kind[field]])) as unknown as KindSummary;
    return { ...facts, columns: kind.columns.map((column) => typedColumn(kind, column)) };
  });
}

/** Fields of the metadata are in no schema of a kind. */
const METADATA_TIMES: readonly string[] = ['metadata.createdAt', 'metadata.updatedAt'];

function typedColumn(kind: KindDefinition, column: Column): SummaryColumn {
  const field = fieldAt(kindFields(kind), column.path.split('.'));
  if (METADATA_TIMES.includes(column.path) || field?.format === 'date-time') return { ...column, type: 'time' };
  if (field?.format === 'cron') return { ...column, type: 'cron' };
  if (field?.format?.startsWith('ref:') || field?.format === 'time-zone')
    return { ...column, type: field.type === 'list' ? 'names' : 'name' };
  return field?.type === 'integer' || field?.type === 'number' ? { ...column, type: 'number' } : column;
}

/** Source text of the module. Icons are imported by name, so that only those of kinds are bundled. */
function moduleText(): string {
  const icons = [...new Set(kinds.map(({ icon }) => icon))];
  return [
    `import { ${icons.join(', ')} } from 'lucide-react';`,
    `export const kindIcons = { ${kinds.map(({ kind, icon }) => `${kind}: ${icon}`).join(', ')} };`,
    `export const kindTable = ${JSON.stringify(summaries())};`,
    `export const storedShapes = ${JSON.stringify(Object.fromEntries(kinds.map((kind) => [kind.kind, storedShapes(kind)])))};`,
  ].join('\n');
}

export function kindTable(): Plugin {
  return {
    name: 'kind-table',
    resolveId: (id) => (id === ID ? `\0${ID}` : undefined),
    load: (id) => (id === `\0${ID}` ? moduleText() : undefined),
  };
}
