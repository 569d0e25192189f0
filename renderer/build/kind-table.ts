// Builds the table of kinds at build time: the facts of each kind for tables, menus and links, without zod and the rules of the whole
// definitions.
import { kinds } from '@svc/shared/kinds';
import type { Plugin } from 'vite';
import type { KindSummary } from '../kinds/kind-summary.ts';

const ID = 'virtual:kind-table';

function summaries(): KindSummary[] {
  return kinds.map(
    ({ kind, plural, shortNames, description, area, phases, columns, actions, fieldSelectors, heavyStatusFields, applyOrder, notice }) => ({
      kind,
      plural,
      shortNames,
      description,
      area,
      phases,
      columns,
      actions,
      fieldSelectors,
      heavyStatusFields,
      applyOrder,
      ...(notice !== undefined && { notice }),
    }),
  );
}

export function kindTable(): Plugin {
  return {
    name: 'kind-table',
    resolveId: (id) => (id === ID ? `\0${ID}` : undefined),
    load: (id) => (id === `\0${ID}` ? `export const kindTable = ${JSON.stringify(summaries())};` : undefined),
  };
}
