// Files that a person gives to the console: a bundle that the system opens with the app, and files from a dialog.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { OpenedBundle, PickedFile } from '@svc/shared/desktop-api';

/** Limit of one import. */
const BYTES_MAX = 4 * 1024 * 1024;

/** Rejects, with a reason, for a larger file or no regular file. */
export async function readPicked(path: string): Promise<PickedFile> {
  const name = basename(path).slice(0, 200);
  // A pipe would keep the open waiting for its other end, and a thread of the app with it. Windows has no such flag.
  const file = await open(path, constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0));
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error(`${name} is not a file`);
    if (found.size > BYTES_MAX) throw new Error(`${name} is larger than 4 MB`);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(found.size), 0, found.size, 0);
    return { name, text: buffer.toString('utf8', 0, bytesRead) };
  } finally {
    await file.close();
  }
}

/** Like readPicked; rejects for a file without the name of a bundle too. */
export async function readBundle(path: string): Promise<OpenedBundle> {
  if (!/\.svcbundle$/i.test(path)) throw new Error(`${basename(path).slice(0, 200)} is not a bundle`);
  return { type: 'bundle', ...(await readPicked(path)) };
}
