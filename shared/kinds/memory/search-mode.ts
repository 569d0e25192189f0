// Kind of search that a Memory makes. Pure.
import { memoryProviderFacts } from './providers.ts';
import type { MemorySpec } from './rules.ts';

/** `adapter`: an external service answers, with its own search. */
export type SearchMode = 'vector' | 'keyword' | 'adapter';

export function searchMode({ provider, embedding_model: model }: Pick<MemorySpec, 'provider' | 'embedding_model'>): SearchMode {
  if (!memoryProviderFacts(provider).searchesOurWay) return 'adapter';
  return model === undefined ? 'keyword' : 'vector';
}
