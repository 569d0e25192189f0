// The kind Task.
import { defineKind } from '../define.ts';
import { TASK_OUTCOMES } from './outcome.ts';
import { normalizeTask, taskChangeReferences, taskReferences, validateTask } from './rules.ts';
import { TASK_PHASES, TASK_TERMINAL_PHASES, taskSpec, taskStatus } from './schema.ts';
import { taskSearchTexts, taskTextVersion } from './search-texts.ts';
import { taskSortValues } from './sort-values.ts';

export const task = defineKind({
  kind: 'Task',
  plural: 'tasks',
  area: 'runs',
  icon: 'ListTodo',
  title: { one: 'Run', many: 'Runs' },
  shortNames: ['task', 'tk'],
  description: 'One run of an AgentSystem with its input, retries and complete record; as a template it serves schedules and webhooks.',
  spec: taskSpec,
  status: taskStatus,
  phases: TASK_PHASES,
  terminalPhases: TASK_TERMINAL_PHASES,
  outcomes: TASK_OUTCOMES,
  normalize: normalizeTask,
  derivedDefaults: ['message_retry.max_attempts', 'message_retry.backoff'],
  validate: validateTask,
  references: taskReferences,
  changeReferences: taskChangeReferences,
  columns: [
    { title: 'State', path: 'status.phase' },
    { title: 'System', path: 'spec.system' },
    { title: 'Mode', path: 'spec.mode' },
    { title: 'Age', path: 'metadata.createdAt' },
    { title: 'Reason', path: 'status.reason', wide: true },
    { title: 'Priority', path: 'spec.priority', wide: true },
    { title: 'Attempts', path: 'status.attempts', wide: true },
    { title: 'Worker', path: 'status.assignedWorker', wide: true },
  ],
  actions: [
    { action: 'cancel', from: ['Pending', 'Running', 'WaitingApproval'] },
    { action: 'retry', from: TASK_TERMINAL_PHASES },
  ],
  fieldSelectors: ['status.phase', 'status.reason', 'status.trial', 'spec.system', 'spec.mode'],
  sorts: {
    fields: { system: 'spec.system', phase: 'status.phase' },
    values: ['completedAt', 'duration', 'tokens', 'cost'],
    valuesOf: ({ status }) => taskSortValues(status),
  },
  search: { textsOf: taskSearchTexts, versionOf: taskTextVersion },
  heavyStatusFields: ['trace', 'history', 'messages', 'message_idempotency', 'join_states'],
  isRecord: true,
  audited: 'deletion',
  declared: { phase: 'Pending', where: ({ mode }) => mode === 'template' },
  offsetPaging: true,
  hasExplanation: true,
  applyOrder: 70,
});
