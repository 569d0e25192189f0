// How tests run: four projects, all from the sources; the system tests also use the build output.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { kindTable } from './renderer/build/kind-table.ts';

/** Four projects: `unit` (beside the sources), `renderer` (the console's, in a simulated DOM), `system` (whole processes over HTTP) and `tidy` (rules about the tree itself). */
const exclude = ['**/node_modules/**', '**/dist/**'];
const resolve = { conditions: ['source'] };
const ssr = { resolve: { conditions: ['source'] } };

/** Waits end with the fact they wait for; these bounds only end what hangs, on a machine however busy. */
const patience = { testTimeout: 30_000, hookTimeout: 30_000, expect: { poll: { timeout: 20_000 } } };

/** Files that take minutes, the longest first: begun last, each would keep the others' worker idle. */
const LONG = ['e2e/system/faults.system.test.ts', 'e2e/system/kill-nine.system.test.ts', 'server/store/sqlite/kill-nine.system.test.ts'];

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
    // By default one processor is left to the runner, which is idle: of two that would be half.
    maxWorkers: Math.max(2, availableParallelism()),
    sequence: { sequencer: LongFirst },
    projects: [
      {
        resolve,
        ssr,
        test: {
          ...patience,
          name: 'unit',
          include: ['shared/**/*.test.ts', 'server/**/*.test.ts', 'e2e/faults/**/*.test.ts'],
          exclude: [...exclude, '**/*.system.test.ts'],
        },
      },
      {
        plugins: [kindTable()],
        resolve,
        ssr,
        test: {
          ...patience,
          name: 'renderer',
          environment: 'happy-dom',
          setupFiles: ['renderer/testing/setup.ts'],
          include: ['renderer/**/*.test.{ts,tsx}'],
          exclude,
        },
      },
      {
        resolve,
        ssr,
        test: {
          ...patience,
          name: 'system',
          include: ['server/**/*.system.test.ts', 'e2e/system/**/*.system.test.ts'],
          exclude,
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      { resolve, ssr, test: { name: 'tidy', include: ['scripts/tidy/**/*.test.ts'], exclude } },
    ],
  },
});
