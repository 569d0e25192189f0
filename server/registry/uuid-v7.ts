// UUID version 7 (RFC 9562): time-ordered object ids.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';

/** Random bytes of one id. */
const RANDOM_BYTES = 10;
/** Random bytes are drawn for this many ids at once: a draw costs more than the id. */
const DRAWN_IDS = 256;

/** A generator of UUIDs whose first 48 bits are the clock's milliseconds. */
export function createUuidV7(clock: Clock): () => string {
  const random = createRandomOfId();
  return () => formatUuidV7(clock.now(), random());
}

/** A source of the random bytes of one id after the other. */
export function createRandomOfId(): () => Uint8Array {
  let drawn = Buffer.alloc(0);
  return () => {
    if (drawn.length < RANDOM_BYTES) drawn = randomBytes(DRAWN_IDS * RANDOM_BYTES);
    const random = drawn.subarray(0, RANDOM_BYTES);
    drawn = drawn.subarray(RANDOM_BYTES);
    return random;
  };
}

/** Pure form: `random` is 10 bytes, of which version and variant overwrite six bits. */
export function formatUuidV7(ms: number, random: Uint8Array): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(ms, 0, 6);
  bytes.set(random.subarray(0, RANDOM_BYTES), 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
