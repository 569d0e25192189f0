// Conformance of the providers that keep entries by themselves.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { describeMemoryProvider } from '../testing/memory-conformance.ts';
import { createDatabaseThread } from './sqlite/database-thread.ts';
import { createEmbeddedProvider, createInMemoryProvider } from './sqlite/sqlite-providers.ts';

const thread = createDatabaseThread();
let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svcd-memories-'));
});
afterAll(async () => {
  await thread.close();
  await rm(directory, { recursive: true, force: true });
});

describeMemoryProvider('in-memory', {
  provider: () => createInMemoryProvider(thread),
  spec: () => ({ provider: 'in-memory' }),
  keepsVectors: true,
  writesAtOnce: true,
  searchesWords: true,
});

describeMemoryProvider('embedded', {
  provider: () => createEmbeddedProvider(thread, directory),
  spec: () => ({ provider: 'embedded' }),
  keepsVectors: true,
  writesAtOnce: true,
  searchesWords: true,
});
