// How tests run: four projects, all from the sources; the system tests also use the build output.
import { defineConfig } from 'vitest/config';
import { kindTable } from './renderer/build/kind-table.ts';

/** Four projects: `unit` (beside the sources), `renderer` (the console's, in a simulated DOM), `system` (whole processes over HTTP) and `tidy` (rules about the tree itself). */
const exclude = ['**/node_modules/**', '**/dist/**'];
const resolve = { conditions: ['source'] };
const ssr = { resolve: { conditions: ['source'] } };

/** Waits end with the fact they wait for; these bounds only end what hangs, on a machine however busy. */
const patience = { testTimeout: 30_000, hookTimeout: 30_000, expect: { poll: { timeout: 20_000 } } };

export default defineConfig({
  test: {
    projects: [
      {
        resolve,
        ssr,
        test: {
          ...patience,
          name: 'unit',
          include: ['shared/**/*.test.ts', 'server/**/*.test.ts', 'faults/**/*.test.ts'],
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
        test: { ...patience, name: 'system', include: ['server/**/*.system.test.ts'], exclude, testTimeout: 120_000, hookTimeout: 60_000 },
      },
      { resolve, ssr, test: { name: 'tidy', include: ['tests/tidy/**/*.test.ts'], exclude } },
    ],
  },
});
