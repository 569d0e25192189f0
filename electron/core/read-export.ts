// Reads the export of this app's own server, with a sign-in of its window.
import { request } from 'node:http';
import type { Cookie } from './server-requests.ts';

const TIMEOUT_MS = 60_000;
/** Above what the server writes. */
const TEXT_MAX_BYTES = 160 * 1024 * 1024;

/** Rejects with a sentence for a person. Independent of proxies: the server is on this machine. */
export async function readExport(origin: string | null, mintCookie: () => Promise<Cookie>): Promise<string> {
  if (origin === null) throw new Error('The server of this app is not running');
  const { name, value } = await mintCookie();
  const { status, text } = await get(new URL('/v1/export?namespace=*', origin), `${name}=${value}`);
  if (status !== 200) throw new Error(messageIn(text) ?? `The server answered ${status}`);
  return text;
}

function get(url: URL, cookie: string): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { cookie, accept: 'application/yaml' }, timeout: TIMEOUT_MS }, (answer) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > TEXT_MAX_BYTES) sent.destroy(new Error('The export is too large'));
        else chunks.push(chunk);
      });
      answer.once('error', reject);
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }));
    });
    sent.once('timeout', () => sent.destroy(new Error('The server gave no answer')));
    sent.once('error', reject);
    sent.end();
  });
}

function messageIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { readonly error?: { readonly message?: string } };
    return error?.message;
  } catch {
    return undefined;
  }
}
