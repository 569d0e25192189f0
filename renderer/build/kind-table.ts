// Builds the table of kinds at build time: the facts of each kind for tables, menus and links, without zod and the rules of the whole
// definitions.
import { kinds } from '../../shared/kinds/index.ts';
import type { Plugin } from 'vite';
import type { KindSummary } from '../kinds/kind-summary.ts';
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
  return kinds.map((kind) => Object.fromEntries(SUMMARY.map((field) => [field, kind[field]])) as unknown as KindSummary);
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
