// Summary of a kind that the console has from the start. The whole definition, with schema and rules, is a chunk of its own
// (definitions.ts).
import type { Column, KindDefinition } from '@svc/shared/kinds/define';

/** A column with the type of its values, where tables treat it in a way of its own. */
export interface SummaryColumn extends Column {
  readonly type?: 'number' | 'time' | 'name' | 'names' | 'cron';
}

export type KindSummary = { readonly columns: readonly SummaryColumn[] } & Pick<
  KindDefinition,
  | 'kind'
  | 'plural'
  | 'shortNames'
  | 'description'
  | 'area'
  | 'title'
  | 'phases'
  | 'initialPhase'
  | 'terminalPhases'
  | 'outcomes'
  | 'actions'
  | 'fieldSelectors'
  | 'heavyStatusFields'
  | 'applyOrder'
  | 'writeOnly'
  | 'serviceManaged'
  | 'keepsVersions'
  | 'heartbeats'
  | 'servesAllNamespaces'
  | 'verdictPart'
  | 'enablesCalls'
  | 'countsRuns'
  | 'fixedSpec'
  | 'renamable'
  | 'localNames'
  | 'nextStep'
>;
