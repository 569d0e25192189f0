// Reads a response: text up to a limit, and the wait that the other side requests.
import { ownTurn } from '../own-turn.ts';
import { CallError } from '../engine/ports.ts';
import type { EgressResponse } from './egress.ts';

export interface TextLimit {
  readonly maxBytes: number;
  /** Whether a retry may help when the answer is too large or unreadable. */
  readonly retryable: boolean;
  /** Name of the peer, for the message. */
  readonly what: string;
}

/** The whole body as UTF-8 text. Rejects with CallError `malformed_response` past the limit or when the body is compressed, which no request accepts. */
export async function readText(response: EgressResponse, limit: TextLimit): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of cappedBody(response, limit)) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
  }
  await ownTurn(bytes);
  return Buffer.concat(chunks).toString('utf8');
}

/** The body piece by piece, under the same rules. */
export async function* cappedBody(response: EgressResponse, limit: TextLimit): AsyncGenerator<Uint8Array> {
  const { maxBytes, retryable, what } = limit;
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (encoding !== 'identity') {
    response.discard();
    throw new CallError('malformed_response', `${what} sent a compressed answer, which was not requested`, {
      retryable: false,
      reason: 'content_encoding',
    });
  }
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) {
      response.discard();
      throw new CallError('malformed_response', `${what} sent more than ${maxBytes} bytes`, { retryable, reason: 'response_too_large' });
    }
    yield chunk;
  }
}

/** Up to `maxBytes` of the body, cut at that size; for error texts. Never rejects: an unreadable body is empty. */
export async function readStart(response: EgressResponse, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body) {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes >= maxBytes) break;
    }
  } catch {
    return '';
  } finally {
    response.discard();
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8');
}

/** `Retry-After` in milliseconds: seconds or an HTTP date (RFC 9110 section 10.2.3); undefined when absent or unreadable. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const at = Date.parse(text);
  return /[a-z]/i.test(text) && !Number.isNaN(at) ? Math.max(0, at - now) : undefined;
}
