// The kind Experiment.
import { defineKind } from '../define.ts';
import { experimentChangeReferences, experimentReferences, normalizeExperiment, runsOf, validateExperiment } from './rules.ts';
import { EXPERIMENT_PHASES, EXPERIMENT_TERMINAL_PHASES, experimentSpec, experimentStatus } from './schema.ts';

export const experiment = defineKind({
  kind: 'Experiment',
  plural: 'experiments',
  area: 'experiments',
  icon: 'FlaskConical',
  shortNames: ['experiment', 'exp'],
  description:
    'Runs an AgentSystem over cases with several versions of its definitions, as trials, and keeps outputs, metrics and ratings side by side. Its spec does not change.',
  spec: experimentSpec,
  status: experimentStatus,
  phases: EXPERIMENT_PHASES,
  terminalPhases: EXPERIMENT_TERMINAL_PHASES,
  initialStatus: (spec) => ({ total: runsOf(spec) }),
  normalize: normalizeExperiment,
  validate: validateExperiment,
  references: experimentReferences,
  changeReferences: experimentChangeReferences,
  requiredReferences: ['spec.system'],
  columns: [
    { title: 'State', path: 'status.phase' },
    { title: 'System', path: 'spec.system' },
    { title: 'Runs', path: 'status.total', sort: true },
    { title: 'Succeeded', path: 'status.succeeded', sort: true },
    { title: 'Failed', path: 'status.failed', sort: true },
    { title: 'Age', path: 'metadata.createdAt' },
    { title: 'Tokens', path: 'status.tokens', wide: true, sort: true },
    { title: 'Cost', path: 'status.costUsd', wide: true, sort: true },
    { title: 'Reason', path: 'status.reason', wide: true },
  ],
  actions: [{ action: 'cancel', from: ['Pending', 'Running'] }],
  fieldSelectors: ['status.phase', 'spec.system'],
  isRecord: true,
  audited: 'deletion',
  fixedSpec: true,
  applyOrder: 75,
});
