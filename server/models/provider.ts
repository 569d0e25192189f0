// Port of a model provider: one adapter that turns our request into one vendor's wire and back. Independent of any vendor.
import type { CallOptions, EmbeddingsRequest, EmbeddingsResponse, ModelEndpointRef, ModelRequest, ModelResponse } from '../engine/ports.ts';

export interface ModelCall extends CallOptions {
  readonly endpoint: ModelEndpointRef;
  readonly request: ModelRequest;
}

/** One request's worth of texts. */
export interface EmbeddingsCall extends Pick<CallOptions, 'signal'> {
  readonly endpoint: ModelEndpointRef;
  readonly request: EmbeddingsRequest;
}

export interface ModelProvider {
  /** The value of `ModelEndpoint.spec.provider` it serves. */
  readonly name: string;
  /** One model call. Rejects with CallError; never retries by itself. Leaves prices alone, unless nothing is ever to be paid. */
  complete(call: ModelCall): Promise<ModelResponse>;
  /** Declared by providers that embed texts. One request; the same promises as `complete`. */
  readonly embed?: (call: EmbeddingsCall) => Promise<EmbeddingsResponse>;
}

/** How errors name the endpoint. */
export function endpointTitle(endpoint: ModelEndpointRef): string {
  return `ModelEndpoint "${endpoint.namespace}/${endpoint.name}"`;
}
