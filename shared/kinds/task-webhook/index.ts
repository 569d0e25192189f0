// The kind TaskWebhook.
import { defineKind } from '../define.ts';
import { PROFILE_DEFAULTS } from './profiles.ts';
import { adviseTaskWebhook, normalizeTaskWebhook, taskWebhookReferences, validateTaskWebhook } from './rules.ts';
import { taskWebhookSpec, taskWebhookStatus } from './schema.ts';

export const taskWebhook = defineKind({
  kind: 'TaskWebhook',
  plural: 'task-webhooks',
  area: 'triggers',
  icon: 'Webhook',
  shortNames: ['task-webhook', 'taskwebhooks', 'webhook', 'webhooks', 'wh'],
  description: 'Runs a template Task for each signed HTTP delivery, once per event id. Deliveries go to the path in its status.',
  spec: taskWebhookSpec,
  status: taskWebhookStatus,
  phases: ['Pending', 'Ready', 'Suspended', 'Error'],
  normalize: normalizeTaskWebhook,
  derivedDefaults: PROFILE_DEFAULTS,
  validate: validateTaskWebhook,
  advise: adviseTaskWebhook,
  references: taskWebhookReferences,
  columns: [
    { title: 'State', path: 'status.phase' },
    { title: 'Task', path: 'spec.task_ref' },
    { title: 'Profile', path: 'spec.auth.profile' },
    { title: 'Accepted', path: 'status.acceptedCount' },
    { title: 'Rejected', path: 'status.rejectedCount' },
    { title: 'Age', path: 'metadata.createdAt' },
    { title: 'Suspended', path: 'spec.suspend', wide: true },
    { title: 'Duplicates', path: 'status.duplicateCount', wide: true },
    { title: 'Last delivery', path: 'status.lastDeliveryTime', wide: true },
    { title: 'Endpoint', path: 'status.endpointPath', wide: true },
  ],
  fieldSelectors: ['status.phase'],
  keepsVersions: true,
  applyOrder: 82,
});
