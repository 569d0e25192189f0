// The kind ModelEndpoint.
import { defineKind } from '../define.ts';
import { modelEndpointReferences, normalizeModelEndpoint, validateModelEndpoint } from './rules.ts';
import { modelEndpointSpec, modelEndpointStatus } from './schema.ts';

export const modelEndpoint = defineKind({
  kind: 'ModelEndpoint',
  plural: 'model-endpoints',
  area: 'models',
  icon: 'Brain',
  shortNames: ['model-endpoint', 'modelendpoints', 'model', 'models', 'me'],
  description: 'A model that agents may ask: the provider, its address, the credentials and the options of each call.',
  spec: modelEndpointSpec,
  status: modelEndpointStatus,
  normalize: normalizeModelEndpoint,
  derivedDefaults: ['base_url', 'allowPrivate'],
  validate: validateModelEndpoint,
  references: modelEndpointReferences,
  namesMissing: true,
  columns: [
    { title: 'Provider', path: 'spec.provider' },
    { title: 'Model', path: 'spec.default_model' },
    { title: 'Age', path: 'metadata.createdAt' },
    { title: 'Address', path: 'spec.base_url', wide: true },
    { title: 'Private', path: 'spec.allowPrivate', wide: true },
  ],
  audited: true,
  keepsVersions: true,
  nextStep: { label: 'New agent on this model', create: 'Agent' },
  applyOrder: 20,
});
