// Summary of a kind that the console has from the start. The whole definition, with schema and rules, is a chunk of its own
// (definitions.ts).
import type { KindDefinition } from '@svc/shared/kinds/define';

export type KindSummary = Pick<
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
  | 'columns'
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
