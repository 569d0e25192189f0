// Vectors of texts by the embedding model of a Memory, with retries. It adds up what they cost.
import { specOf } from '@svc/shared/kinds/read';
import { parseRef } from '@svc/shared/resource';
import type { Clock } from '../clock.ts';
import { CallError, type CallUsage, type EmbeddingsPort, type EmbeddingsResponse } from '../engine/ports.ts';
import type { StoreReader } from '../store/store.ts';
import { withRetries } from '../tools/retry.ts';
import { memoryTitle, type MemoryTarget } from './backend.ts';

export interface EmbedderDeps {
  readonly store: Pick<StoreReader, 'getObject'>;
  readonly embeddings: EmbeddingsPort;
  readonly clock: Clock;
  readonly random: () => number;
}

export interface EmbedRequest {
  readonly memory: Pick<MemoryTarget, 'namespace' | 'name'>;
  /** ModelEndpoint, as the Memory names it. */
  readonly model: string;
  readonly texts: readonly string[];
  readonly requestId: string;
  readonly signal: AbortSignal;
}

export interface EmbeddedTexts {
  readonly vectors: readonly Float32Array[];
  readonly usage: CallUsage;
}

const RETRY = { maxAttempts: 3, backoffMs: 250, maxBackoffMs: 5_000, jitter: 'equal' } as const;
/** Most models read no more than 8,192 tokens; the rest of a longer text is not searched by meaning. */
const TEXT_MAX_CHARS = 16_384;

/** Rejects with CallError while there is no such ModelEndpoint. */
export async function embeddingModel(store: EmbedderDeps['store'], memory: EmbedRequest['memory'], model: string) {
  const place = parseRef(model, memory.namespace);
  const endpoint = await store.getObject({ kind: 'ModelEndpoint', ...place });
  if (endpoint) return { place, spec: specOf('ModelEndpoint', endpoint), version: `${endpoint.uid} ${endpoint.generation}` };
  const message = `${memoryTitle(memory)} spec.embedding_model: ModelEndpoint "${place.namespace}/${place.name}" does not exist; create it`;
  throw new CallError('model_not_found', message, { retryable: true, reason: 'embedding_model_missing' });
}

/** Rejects with CallError. */
export async function embedTexts(deps: EmbedderDeps, request: EmbedRequest): Promise<EmbeddedTexts> {
  const { memory, model, signal, requestId, texts } = request;
  const { place, spec } = await embeddingModel(deps.store, memory, model);
  const inputs = texts.map((text) => text.slice(0, TEXT_MAX_CHARS).toWellFormed());
  const what = `embedding for ${memoryTitle(memory)}`;
  const answer = await withRetries({ rule: RETRY, ...deps, signal, what }, () =>
    deps.embeddings.embed({ ...place, spec }, { requestId, inputs }, { signal }),
  );
  const vectors = answer.vectors.map((vector) => Float32Array.from(vector));
  if (vectors.every((vector) => vector.every(Number.isFinite))) return { vectors, usage: usageOf(answer) };
  const message = `${what}: ModelEndpoint "${place.namespace}/${place.name}" sent a number that is too large for a vector`;
  throw new CallError('malformed_response', message, { retryable: false, reason: 'vector_range' });
}

function usageOf({ model, usage, costUsd }: EmbeddingsResponse): CallUsage {
  return { model, usage, ...(costUsd !== undefined && { costUsd }) };
}
