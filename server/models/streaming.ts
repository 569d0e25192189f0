// Model servers that refuse to stream, remembered for a while so that a call is not refused first each time.
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import type { ModelEndpointRef } from '../engine/ports.ts';

const REMEMBERED_MAX = 1_000;
const REMEMBERED_MS = 60 * 60_000;

export const STREAMING_REFUSED = 'the model server refuses to stream, so its answers are read whole for an hour';

export interface StreamingMemory {
  isRefused(endpoint: ModelEndpointRef): boolean;
  refuse(endpoint: ModelEndpointRef): void;
}

export function createStreamingMemory(clock: Clock): StreamingMemory {
  const until = new LRUCache<string, number>({ max: REMEMBERED_MAX });
  // An endpoint that is changed to another server or model streams again.
  const keyOf = ({ namespace, name, spec }: ModelEndpointRef) => JSON.stringify([namespace, name, spec.base_url, spec.default_model]);
  return {
    isRefused: (endpoint) => (until.get(keyOf(endpoint)) ?? 0) > clock.now(),
    refuse: (endpoint) => void until.set(keyOf(endpoint), clock.now() + REMEMBERED_MS),
  };
}
