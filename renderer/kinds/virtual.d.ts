// The module that build/kind-table.ts makes.
declare module 'virtual:kind-table' {
  import type { KindSummary } from './kind-summary.ts';
  export const kindTable: readonly KindSummary[];
}
