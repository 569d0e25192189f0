// How often each client address, or other caller, may do something: a bucket of permits for each, in bounded memory. Pure but for the clock it is given.
import { ServiceError } from '@svc/shared/errors';
import type { Clock } from '../../clock.ts';
import { entriesMax } from '../../entries-max.ts';
import { clientKey } from './client-address.ts';
import { LRUCache } from 'lru-cache';

export interface BucketRates {
  /** Permits at once for a caller without recent requests. */
  readonly burst: number;
  /** Permits that come back in a minute. */
  readonly perMinute: number;
  /** Addresses remembered; the one that was quiet for longest is forgotten. */
  readonly addressesMax: number;
  /** The first half of the refusal's message. */
  readonly refusal: string;
}

export interface TokenBuckets {
  /** Takes permits of an address, or of a caller with another name; throws `rate_limited`, with the time until there are enough, when there are too few. */
  take(address: string, wanted?: number): void;
}

interface Bucket {
  readonly permits: number;
  readonly at: number;
}

const MINUTE_MS = 60_000;
export function createTokenBuckets({ burst, perMinute, addressesMax, refusal }: BucketRates, clock: Pick<Clock, 'now'>): TokenBuckets {
  const buckets = new LRUCache<string, Bucket>(entriesMax(addressesMax));
  return {
    take(address, asked = 1) {
      const wanted = Math.min(asked, burst);
      const key = clientKey(address);
      const now = clock.now();
      const last = buckets.get(key) ?? { permits: burst, at: now };
      // A clock that was set back gives nothing and takes nothing.
      const passed = Math.max(0, now - last.at);
      const permits = Math.min(burst, last.permits + (passed * perMinute) / MINUTE_MS);
      if (permits < wanted) {
        const retryAfterSeconds = Math.ceil(((wanted - permits) * MINUTE_MS) / perMinute / 1000);
        throw new ServiceError('rate_limited', `${refusal}; try again in ${retryAfterSeconds} s`, { retryAfterSeconds });
      }
      buckets.set(key, { permits: permits - wanted, at: now });
    },
  };
}
