// A browser database for tests, as far as `idb-keyval` uses one: a single store, kept in memory.
import { vi } from 'vitest';

interface Request {
  result?: unknown;
  onsuccess?: () => void;
}

const done = (result?: unknown): Request => {
  const request: Request = { result };
  queueMicrotask(() => request.onsuccess?.());
  return request;
};

/** Stored values by key. One for all files of a worker, since the code under test keeps its connection. */
export const stored = new Map<string, unknown>();

const objectStore = () => ({
  put: (value: unknown, key: string) => void stored.set(key, value),
  get: (key: string) => done(stored.get(key)),
  delete: (key: string) => void stored.delete(key),
  clear: () => stored.clear(),
  get transaction() {
    return done();
  },
});

/** Installs the empty database until the end of the test file. */
export function installIndexedDb(): void {
  stored.clear();
  vi.stubGlobal('indexedDB', { open: () => done({ transaction: () => ({ objectStore }) }) });
}
