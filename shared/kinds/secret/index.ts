// The kind Secret.
import { defineKind } from '../define.ts';
import { normalizeSecret, redactSecret, validateSecret } from './rules.ts';
import { secretSpec, secretStatus } from './schema.ts';

export const secret = defineKind({
  kind: 'Secret',
  plural: 'secrets',
  area: 'secrets',
  icon: 'KeyRound',
  shortNames: ['secret', 'sec'],
  description: 'Values that models, tools and servers need. They are write-only: every read shows them as ***.',
  spec: secretSpec,
  status: secretStatus,
  normalize: normalizeSecret,
  validate: validateSecret,
  redact: redactSecret,
  columns: [
    { title: 'Keys', path: 'spec.data', sort: false },
    { title: 'Age', path: 'metadata.createdAt' },
  ],
  audited: true,
  writeOnly: true,
  enablesCalls: true,
  applyOrder: 10,
});
