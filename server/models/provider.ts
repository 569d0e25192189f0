// What a model provider is: one adapter that turns our request into one vendor's wire and back. Knows no vendor.
import type { CallOptions, ModelEndpointRef, ModelRequest, ModelResponse } from '../engine/ports.ts';

export interface ModelCall extends CallOptions {
  readonly endpoint: ModelEndpointRef;
  readonly request: ModelRequest;
}

export interface ModelProvider {
  /** The value of `ModelEndpoint.spec.provider` it serves. */
  readonly name: string;
  /** One model call. Rejects with CallError; never retries by itself. */
  complete(call: ModelCall): Promise<ModelResponse>;
}

/** How errors name the endpoint. */
export function endpointTitle(endpoint: ModelEndpointRef): string {
  return `ModelEndpoint "${endpoint.namespace}/${endpoint.name}"`;
}
