// Rules of Memory at write time. An unsupported provider is accepted and reported in the status.
import type { FieldError } from '../../errors.ts';
import { defined, keyword, trimmed } from '../clean.ts';
import type { Reference, RuleContext } from '../define.ts';
import { httpUrl, noPassword, objectRef } from '../field-rules.ts';
import { refTo } from '../references.ts';
import { MEMORY_PROVIDER_DEFAULT, memoryProviderFacts } from './providers.ts';
import type { WrittenMemorySpec } from './schema.ts';

export function normalizeMemory(spec: WrittenMemorySpec) {
  return defined({
    ...spec,
    provider: keyword(spec.provider) ?? MEMORY_PROVIDER_DEFAULT,
    embedding_model: trimmed(spec.embedding_model),
    endpoint: trimmed(spec.endpoint),
    auth: spec.auth && defined({ ...spec.auth, secretRef: trimmed(spec.auth.secretRef) }),
  });
}

/** The spec as stored: defaults filled in, values cleaned. */
export type MemorySpec = ReturnType<typeof normalizeMemory>;

export function validateMemory(spec: MemorySpec): FieldError[] {
  const errors: FieldError[] = [];
  const { needsEndpoint, needsModel, isHttp } = memoryProviderFacts(spec.provider);
  if (needsEndpoint && spec.endpoint === undefined) {
    errors.push({ path: 'spec.endpoint', message: `is required when provider is ${spec.provider}` });
  }
  if (needsModel && spec.embedding_model === undefined) {
    errors.push({ path: 'spec.embedding_model', message: `is required when provider is ${spec.provider}` });
  }
  errors.push(...(isHttp ? httpUrl : noPassword)('spec.endpoint', spec.endpoint));
  return [...errors, ...objectRef('spec.embedding_model', spec.embedding_model), ...objectRef('spec.auth.secretRef', spec.auth?.secretRef)];
}

export function memoryReferences(spec: MemorySpec, context: RuleContext): Reference[] {
  return [
    ...refTo({ kind: 'ModelEndpoint', path: 'spec.embedding_model' }, spec.embedding_model, context),
    ...refTo({ kind: 'Secret', path: 'spec.auth.secretRef' }, spec.auth?.secretRef, context),
  ];
}
