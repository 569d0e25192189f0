// Set-up of each test file of the console: clears the page after every test, and restores globals after every file, since files share a worker.
import { cleanup } from '@testing-library/react';
import { afterAll, afterEach, vi } from 'vitest';
import { lastLink } from '../live/last-link.ts';

afterEach(() => {
  cleanup();
  lastLink.replacement = undefined;
});
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});
