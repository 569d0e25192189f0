// How many requests a caller may make: by token, or by client address where nobody signs in.
import { isIPv4 } from 'node:net';
import type { Clock } from '../../clock.ts';
import type { Identity } from '../../registry/registry.ts';
import { createTokenBuckets } from './token-bucket.ts';

export interface RequestLimit {
  /** Takes a permit for each call; throws `rate_limited` when they are used up. */
  take(identity: Identity, clientAddress: string, calls?: number): void;
}

/** Buckets remembered; the caller that was quiet for longest is forgotten. */
const CALLERS_MAX = 10_000;
const BURST_SECONDS = 2;

/** Takes an address in the form of `clientAddress`. */
function isLoopback(address: string): boolean {
  return address === '::1' || (address.startsWith('127.') && isIPv4(address));
}

/** `perSecond` 0: no limit. While authentication is off, clients of this machine have none either: all of them would share one bucket. */
export function createRequestLimit(perSecond: number, clock: Pick<Clock, 'now'>): RequestLimit {
  if (perSecond === 0) return { take: () => undefined };
  const buckets = createTokenBuckets(
    {
      burst: perSecond * BURST_SECONDS,
      perMinute: perSecond * 60,
      addressesMax: CALLERS_MAX,
      refusal: 'Too many requests from this caller',
    },
    clock,
  );
  return {
    take({ method, name }, clientAddress, calls = 1) {
      if (method !== 'none') buckets.take(`token:${name}`, calls);
      else if (!isLoopback(clientAddress)) buckets.take(clientAddress, calls);
    },
  };
}
