// State that a provider attached to an answer and demands back with it: bounded, and returned to the endpoint that made it alone. Pure but for the hash.
import { createHash } from 'node:crypto';
import { isDeeperThan, isObject, type JsonObject } from '@svc/shared/json';
import type { ChatMessage, ModelEndpointRef, ModelResponse } from '../engine/ports.ts';
import { endpointTitle } from './provider.ts';
import { malformed } from './provider-errors.ts';

/** State of one answer, as JSON. The journal has it once, and the state of the run too. */
export const PROVIDER_STATE_MAX_BYTES = 512 * 1024;
const DEPTH_MAX = 64;

/**
 * State of an answer, with the endpoint that made it: another server or model would refuse its signatures. Throws CallError past the limits: without
 * its state the answer would fail the next call, after its tools have run.
 */
export function keptState(endpoint: ModelEndpointRef, state: object | undefined): Pick<ModelResponse, 'providerState'> {
  if (state === undefined) return {};
  const what = endpointTitle(endpoint);
  if (isDeeperThan(state, DEPTH_MAX)) throw malformed(what, `state of more than ${DEPTH_MAX} levels with its tool calls`);
  const bytes = Buffer.byteLength(JSON.stringify(state));
  if (bytes > PROVIDER_STATE_MAX_BYTES)
    throw malformed(what, `${bytes} bytes of thinking with its tool calls; at most ${PROVIDER_STATE_MAX_BYTES} can be kept`);
  return { providerState: { from: makerOf(endpoint), state } as JsonObject };
}

/** Reads the states that this endpoint made out of messages; empty for every other message. */
export function ownStates(endpoint: ModelEndpointRef): (message: ChatMessage) => Record<string, unknown> {
  const maker = makerOf(endpoint);
  return (message) => {
    const kept = message.role === 'assistant' ? message.providerState : undefined;
    return kept?.['from'] === maker && isObject(kept['state']) ? kept['state'] : {};
  };
}

function makerOf({ spec }: ModelEndpointRef): string {
  const made = JSON.stringify([spec.provider, spec.base_url, spec.default_model]);
  return createHash('sha256').update(made).digest('hex').slice(0, 32);
}
