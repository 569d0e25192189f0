// Signs deliveries to a TaskWebhook, as the sender of each profile does. Pure but for WebCrypto; runs in browser and Node alike.
import type { TaskWebhookSpec } from './rules.ts';

type Bytes = Uint8Array<ArrayBuffer>;
type WebhookAuth = TaskWebhookSpec['auth'];

/** Text that is signed in front of the body; undefined when it begins with a time and none is given. Profile generic signs time and body. */
export function signedHead(auth: WebhookAuth, timestamp: string | undefined): string | undefined {
  const format = auth.profile === 'generic' ? 'timestamp_dot_body' : (auth.payload_format ?? 'body');
  if (format === 'body') return '';
  if (timestamp === undefined || timestamp === '') return undefined;
  const separator = auth.payload_separator ?? '.';
  return (format === 'prefix_timestamp_body' ? [auth.payload_prefix ?? '', timestamp, ''] : [timestamp, '']).join(separator);
}

export interface DeliveryToSign {
  readonly spec: Pick<TaskWebhookSpec, 'auth' | 'idempotency'>;
  readonly secret: Bytes;
  readonly body: Bytes;
  /** Without it the event id is left to the body. */
  readonly eventId?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const HASHES: Readonly<Record<string, string>> = { sha1: 'SHA-1', sha256: 'SHA-256', sha512: 'SHA-512' };

/** Headers of the delivery: signature or token, time, event id. */
export async function signedHeaders({ spec: { auth, idempotency }, secret, body, eventId, now }: DeliveryToSign) {
  if (secret.length === 0) throw new RangeError('the secret is empty');
  const name = auth.signature_header ?? '';
  const prefix = auth.signature_prefix ?? '';
  const headers: Record<string, string> = {};
  if (eventId !== undefined && idempotency.event_id_header !== undefined) headers[idempotency.event_id_header] = eventId;
  if (auth.profile === 'shared_token') return { ...headers, [name]: prefix + headerText(secret) };
  const timestamp = String(Math.floor(now / 1000));
  const head = new TextEncoder().encode(signedHead(auth, timestamp));
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  const signature = prefix + (await signatureOf(auth, secret, signed));
  if (auth.timestamp_header !== undefined) headers[auth.timestamp_header] = timestamp;
  if (auth.header_format !== 'kv_pairs') return { ...headers, [name]: signature };
  const time = auth.timestamp_key === undefined ? '' : `${auth.timestamp_key}=${timestamp},`;
  return { ...headers, [name]: `${time}${auth.signature_key}=${signature}` };
}

async function signatureOf(auth: WebhookAuth, secret: Bytes, signed: Bytes): Promise<string> {
  const hash = HASHES[auth.algorithm ?? 'sha256'] ?? '';
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash }, false, ['sign']);
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed));
  if (auth.signature_encoding === 'base64') return btoa(String.fromCharCode(...bytes));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function headerText(secret: Bytes): string {
  const text = new TextDecoder().decode(secret);
  if (/^[!-~]+$/.test(text)) return text;
  throw new RangeError('the token has characters that a header cannot carry');
}
