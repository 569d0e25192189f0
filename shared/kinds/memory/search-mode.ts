// Kind of search that a Memory makes. Pure.
import type { MemorySpec } from './rules.ts';

/** `adapter`: a service of others answers, in its own way. */
export type SearchMode = 'vector' | 'keyword' | 'adapter';

const OWN_PROVIDERS: ReadonlySet<string | undefined> = new Set([undefined, 'in-memory', 'embedded', 'pgvector']);

export function searchMode({ provider, embedding_model: model }: Pick<MemorySpec, 'provider' | 'embedding_model'>): SearchMode {
  if (!OWN_PROVIDERS.has(provider)) return 'adapter';
  return model === undefined ? 'keyword' : 'vector';
}
