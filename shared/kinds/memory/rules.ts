// Rules of Memory at write time. An unsupported provider is accepted and reported in the status.
import type { FieldError } from '../../errors.ts';
import { defined, keyword, trimmed } from '../clean.ts';
import type { Reference, RuleContext } from '../define.ts';
import { objectRef } from '../field-rules.ts';
import { refTo } from '../references.ts';
import type { WrittenMemorySpec } from './schema.ts';

const PROVIDER_DEFAULT = 'in-memory';
/** Other providers state their own needs: they may be registered on the server that runs the object. */
const NEEDS_ENDPOINT: ReadonlySet<string> = new Set(['pgvector', 'http']);

export function normalizeMemory(spec: WrittenMemorySpec) {
  return defined({
    ...spec,
    provider: keyword(spec.provider) ?? PROVIDER_DEFAULT,
    embedding_model: trimmed(spec.embedding_model),
    endpoint: trimmed(spec.endpoint),
    auth: spec.auth && defined({ ...spec.auth, secretRef: trimmed(spec.auth.secretRef) }),
  });
}

/** The spec as stored: defaults filled in, values cleaned. */
export type MemorySpec = ReturnType<typeof normalizeMemory>;

export function validateMemory(spec: MemorySpec): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.endpoint === undefined && NEEDS_ENDPOINT.has(spec.provider ?? PROVIDER_DEFAULT)) {
    errors.push({ path: 'spec.endpoint', message: `is required when provider is ${spec.provider}` });
  }
  if (spec.provider === 'pgvector' && spec.embedding_model === undefined) {
    errors.push({ path: 'spec.embedding_model', message: 'is required when provider is pgvector' });
  }
  if (spec.provider === 'http' && spec.endpoint !== undefined && !/^https?:\/\//i.test(spec.endpoint)) {
    errors.push({ path: 'spec.endpoint', message: 'must be an http or https URL when provider is http' });
  }
  return [...errors, ...objectRef('spec.embedding_model', spec.embedding_model), ...objectRef('spec.auth.secretRef', spec.auth?.secretRef)];
}

export function memoryReferences(spec: MemorySpec, context: RuleContext): Reference[] {
  return [
    ...refTo({ kind: 'ModelEndpoint', path: 'spec.embedding_model' }, spec.embedding_model, context),
    ...refTo({ kind: 'Secret', path: 'spec.auth.secretRef' }, spec.auth?.secretRef, context),
  ];
}
