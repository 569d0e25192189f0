// Health of a Memory's backend in plain words, with what to do. Pure.
import type { MemorySpec } from '@svc/shared/kinds/memory/rules';
import type { MemoryStatus } from '@svc/shared/kinds/memory/schema';

export interface Health {
  readonly tone: 'ok' | 'neutral' | 'danger';
  readonly title: string;
  /** Report of the server. */
  readonly reason?: string;
  readonly advice?: string;
}

const PLACES: Readonly<Record<string, string>> = {
  'in-memory': 'Entries are in the process of the server and are lost when it restarts.',
  embedded: 'Entries are in the data directory of the server.',
  pgvector: 'Entries are in a PostgreSQL database.',
  http: 'Entries are behind an adapter that is called over HTTP.',
};

export function healthOf(spec: MemorySpec, { phase, lastError }: MemoryStatus): Health {
  const { provider = 'in-memory' } = spec;
  const place = Object.hasOwn(PLACES, provider) ? PLACES[provider] : `Entries are kept by the provider ${provider}.`;
  if (phase === 'Ready') return { tone: 'ok', title: place ?? '' };
  if (phase !== 'Error') return { tone: 'neutral', title: 'The backend has not been checked yet.' };
  return {
    tone: 'danger',
    title: 'The backend does not work, and agents that use this memory get errors.',
    ...(lastError !== undefined && { reason: lastError }),
    advice: adviceOf(spec),
  };
}

const AGAIN = 'It is checked again automatically; no restart is needed.';

function adviceOf({ provider = 'in-memory', auth, embedding_model: model }: MemorySpec): string {
  const secret = auth?.secretRef;
  const embeddings = model === undefined ? '' : ` Try the ModelEndpoint ${model} too: it makes the embeddings.`;
  if (provider === 'pgvector') {
    const password = secret === undefined ? '' : `, that Secret ${secret} holds its password`;
    return `Check that the database of spec.endpoint answers${password} and that it has the extension vector.${embeddings} ${AGAIN}`;
  }
  if (provider === 'http') {
    const token = secret === undefined ? '' : ` and accepts the token of Secret ${secret}`;
    return `Check that the adapter of spec.endpoint answers${token}.${embeddings} ${AGAIN}`;
  }
  if (provider === 'in-memory' || provider === 'embedded') return `Check what the error names.${embeddings} ${AGAIN}`;
  return `Choose a provider that this server has, such as embedded, or register ${provider}.`;
}

/** Label of the search mode. */
export function searchLabel(search: 'keyword' | 'vector' | undefined): string {
  if (search === undefined) return 'search of the adapter';
  return search === 'vector' ? 'vector search' : 'keyword search';
}
