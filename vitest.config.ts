// How tests run: projects by kind of test, all from the sources; the system tests also use the build output.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { kindTable } from './renderer/build/kind-table.ts';
import { useMemoryFolder } from './server/testing/memory-folder.ts';

/**
 * Projects: `unit` (beside the sources), `renderer` (the console's, in a simulated DOM), `system` (whole processes over HTTP) and `tidy` (rules
 * about the tree itself). Files of `unit` and `renderer` share the modules and the DOM of their worker: loading them once per file took more
 * time than the tests. Set-up files restore shared state after each file.
 */
const exclude = ['**/node_modules/**', '**/dist/**'];
/** Without a binary the package `electron` downloads one when it is loaded. */
const alias = [{ find: /^electron$/, replacement: join(import.meta.dirname, 'e2e/shell/double/electron.cjs') }];
const resolve = { alias };

/** Waits end with the fact they wait for; these bounds only end what hangs, on a machine however busy. */
const patience = { testTimeout: 30_000, hookTimeout: 30_000, expect: { poll: { timeout: 20_000 } } };

/** Files that take longest, in that order. Others begin by size, the largest first; begun late, one of these leaves the other workers idle. */
const LONG = [
  'e2e/system/faults-fleet.system.test.ts',
  'e2e/system/faults-runs.system.test.ts',
  'e2e/system/readers.system.test.ts',
  'e2e/system/kill-nine.system.test.ts',
  'server/store/sqlite/kill-nine.system.test.ts',
  'server/store/postgres/postgres-store.test.ts',
  'server/tools/memory-growth.test.ts',
  'server/engine/shell/slow-checks.test.ts',
  'server/engine/core/run.property.test.ts',
  'server/models/chunks.test.ts',
  'server/store/sqlite/sqlite-store.test.ts',
];

useMemoryFolder();

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification) => LONG.findIndex((file) => moduleId.endsWith(file));
    const long = sorted.filter((file) => place(file) >= 0).sort((a, b) => place(a) - place(b));
    return [...long, ...sorted.filter((file) => place(file) < 0)];
  }
}

export default defineConfig({
  test: {
    // Files wait for a third of their time, so one worker more than processors; the default is one less, for the runner, which is idle.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongFirst },
    globalSetup: ['server/testing/no-process-left.ts'],
    projects: [
      {
        resolve,
        test: {
          ...patience,
          name: 'unit',
          isolate: false,
          setupFiles: ['server/testing/restore-process.ts'],
          include: ['shared/**/*.test.ts', 'server/**/*.test.ts', 'electron/**/*.test.ts', 'e2e/faults/**/*.test.ts'],
          exclude: [...exclude, '**/*.system.test.ts'],
        },
      },
      {
        plugins: [kindTable()],
        resolve,
        test: {
          ...patience,
          name: 'renderer',
          environment: 'happy-dom',
          // The console formats numbers as its reader's system does; the texts that tests expect are those of one system.
          env: { LC_ALL: 'C.UTF-8' },
          isolate: false,
          setupFiles: ['renderer/testing/setup.ts'],
          include: ['renderer/**/*.test.{ts,tsx}'],
          exclude,
        },
      },
      {
        resolve,
        test: {
          ...patience,
          name: 'system',
          setupFiles: ['server/testing/restore-process.ts'],
          include: ['server/**/*.system.test.ts', 'electron/**/*.system.test.ts', 'e2e/system/**/*.system.test.ts'],
          exclude,
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      { resolve, test: { name: 'tidy', include: ['scripts/tidy/**/*.test.ts'], exclude } },
    ],
  },
});
