// Set-up of each test file of the console: clears the page after every test, and restores globals after every file, since files share a worker.
import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, vi } from 'vitest';
import { connection } from '../live/connection.ts';
import { lastLink } from '../live/last-link.ts';

/** Waits end with the fact they wait for, as in vitest.config.ts: a busy machine takes longer than the second of the default. */
configure({ asyncUtilTimeout: 20_000 });

afterEach(() => {
  cleanup();
  lastLink.replacement = undefined;
});
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  // A live one would keep the queries of the next file from polling.
  connection.signedIn();
});
