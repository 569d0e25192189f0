// The kind SealedSecret.
import { defineKind } from '../define.ts';
import { normalizeSealedSecret, validateSealedSecret } from './rules.ts';
import { SEALED_SECRET_PHASES, sealedSecretSpec, sealedSecretStatus } from './schema.ts';

export const sealedSecret = defineKind({
  kind: 'SealedSecret',
  plural: 'sealed-secrets',
  area: 'secrets',
  icon: 'FileLock2',
  shortNames: ['sealed-secret', 'sealedsecrets', 'ssec'],
  description:
    'Secret entries encrypted with the public sealing key, safe to keep in a repository. The service decrypts them into a Secret of the same name.',
  spec: sealedSecretSpec,
  status: sealedSecretStatus,
  phases: SEALED_SECRET_PHASES,
  normalize: normalizeSealedSecret,
  validate: validateSealedSecret,
  columns: [
    { title: 'State', path: 'status.phase' },
    { title: 'Age', path: 'metadata.createdAt' },
    { title: 'Error', path: 'status.lastError', wide: true },
  ],
  fieldSelectors: ['status.phase'],
  audited: true,
  applyOrder: 12,
});
