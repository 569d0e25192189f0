// A bundle that the system opens with the app, read for its review in the console.
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { OpenedBundle } from '@svc/shared/desktop-api';

/** Limit of one import. */
const BYTES_MAX = 4 * 1024 * 1024;

/** Rejects, with a reason, for a file without the name of a bundle, a larger one, or no regular file. */
export async function readBundle(path: string): Promise<OpenedBundle> {
  const name = basename(path).slice(0, 200);
  if (!/\.svcbundle$/i.test(path)) throw new Error(`${name} is not a bundle`);
  const file = await open(path, 'r');
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error(`${name} is not a file`);
    if (found.size > BYTES_MAX) throw new Error(`${name} is larger than 4 MB`);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(found.size), 0, found.size, 0);
    return { type: 'bundle', name, text: buffer.toString('utf8', 0, bytesRead) };
  } finally {
    await file.close();
  }
}
