// Signature and time of a webhook delivery, by the profile of its TaskWebhook. Pure; compares in constant time.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { TaskWebhookSpec } from '@svc/shared/kinds/task-webhook/rules';
import { signedHead } from '@svc/shared/kinds/task-webhook/signing';

type WebhookAuth = TaskWebhookSpec['auth'];

export interface SignedDelivery {
  /** Value of a request header, by any case. */
  readonly header: (name: string) => string | undefined;
  readonly body: Buffer;
}

/** Text that a signature covers is built from the raw bytes: they need be no UTF-8. */
interface Claim {
  readonly signatures: readonly string[];
  /** As sent. */
  readonly timestamp: string | undefined;
}

interface Key {
  readonly auth: WebhookAuth;
  readonly secret: string;
}

/** Why the delivery is refused, as a sentence for the people who own the webhook; undefined for a genuine one. `now` is in milliseconds since the epoch. */
export function deliveryProblem({ auth, secret }: Key, delivery: SignedDelivery, now: number): string | undefined {
  const headerName = auth.signature_header ?? '';
  const value = delivery.header(headerName);
  if (value === undefined || value === '') return `the header ${headerName} is missing`;
  if (auth.profile === 'shared_token') return isToken(auth, secret, value) ? undefined : `the token in ${headerName} does not match`;
  const claim = readClaim(auth, value, delivery);
  const head = signedHead(auth, claim.timestamp);
  if (head === undefined) return 'the time of signing is missing';
  const expected = signatureOf(auth, secret, [head, delivery.body]);
  // Some senders write hex in upper case, or base64 without its padding.
  const given = claim.signatures.map((text) =>
    auth.signature_encoding === 'base64' ? text.padEnd(expected.length, '=') : text.toLowerCase(),
  );
  if (!matchesAny(given, expected)) return `the signature in ${headerName} does not match`;
  return timeProblem(auth, claim.timestamp, now);
}

function isToken({ signature_prefix: prefix = '' }: WebhookAuth, secret: string, value: string): boolean {
  return value.startsWith(prefix) && areEqual(value.slice(prefix.length), secret);
}

function readClaim(auth: WebhookAuth, value: string, { header }: SignedDelivery): Claim {
  const prefix = auth.signature_prefix ?? '';
  const pairs = auth.header_format === 'kv_pairs' ? readPairs(value) : undefined;
  const given = pairs ? pairs.filter(([key]) => key === auth.signature_key).map(([, text]) => text) : [value.trim()];
  const inPairs = auth.timestamp_key === undefined ? undefined : pairs?.find(([key]) => key === auth.timestamp_key)?.[1];
  return {
    signatures: given.filter((text) => text.startsWith(prefix)).map((text) => text.slice(prefix.length)),
    timestamp: inPairs ?? (auth.timestamp_header === undefined ? undefined : header(auth.timestamp_header)?.trim()),
  };
}

/** `t=1,v1=a,v1=b`: pairs in their order. A header has a bounded length. */
function readPairs(value: string): readonly (readonly [string, string])[] {
  return value.split(',').flatMap((part): (readonly [string, string])[] => {
    const at = part.indexOf('=');
    return at < 0 ? [] : [[part.slice(0, at).trim(), part.slice(at + 1).trim()]];
  });
}

function signatureOf(auth: WebhookAuth, secret: string, [head, body]: readonly [string, Buffer]): string {
  const encoding = auth.signature_encoding === 'base64' ? 'base64' : 'hex';
  return createHmac(auth.algorithm ?? 'sha256', secret)
    .update(head, 'utf8')
    .update(body)
    .digest(encoding);
}

/** Compares all of them, so that the time does not say which one was near. As texts, since decoders skip what they do not know. */
function matchesAny(signatures: readonly string[], expected: string): boolean {
  const bytes = Buffer.from(expected);
  return signatures.map((signature) => isSame(Buffer.from(signature), bytes)).includes(true);
}

/** The length of a signature is not a secret: its algorithm gives it. */
const isSame = (given: Buffer, expected: Buffer): boolean => given.length === expected.length && timingSafeEqual(given, expected);

/** Hashes first: texts of different lengths take the same time. */
function areEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text, 'utf8').digest();
  return timingSafeEqual(digest(a), digest(b));
}

function timeProblem(auth: WebhookAuth, timestamp: string | undefined, now: number): string | undefined {
  const hasTime = auth.timestamp_header !== undefined || (auth.header_format === 'kv_pairs' && auth.timestamp_key !== undefined);
  const skew = auth.max_skew_seconds ?? 0;
  if (skew === 0 || !hasTime) return undefined;
  const at = timestamp === undefined ? undefined : readTime(timestamp);
  if (at === undefined) return 'the time of signing is missing or invalid';
  return Math.abs(now - at) <= skew * 1000 ? undefined : `the time of signing is more than ${skew} s from the server's clock`;
}

const MILLISECONDS_FROM_DIGITS = 12;
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** Unix seconds, Unix milliseconds or RFC 3339; undefined for anything else. In milliseconds. */
function readTime(text: string): number | undefined {
  if (/^\d{1,15}(?:\.\d{1,9})?$/.test(text))
    return Number(text) * ((text.split('.')[0] ?? '').length >= MILLISECONDS_FROM_DIGITS ? 1 : 1000);
  const at = RFC_3339.test(text) ? Date.parse(text.replace(' ', 'T')) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
