// Makes the table of kinds at build time: what tables, menus and links need of each kind, without zod and the rules that the whole definitions carry.
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
