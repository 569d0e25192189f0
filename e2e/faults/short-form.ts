// The short form of the fault suite as tests: each scenario once. `npm run faults` runs the same code with larger numbers.
import { afterAll, describe, expect, test } from 'vitest';
import { seededRandom } from '../../server/testing/random.ts';
import { printTable } from './report.ts';
import type { Scenario } from './scenario.ts';
import { runScenario, type Result } from './suite.ts';
import { removeSharedPostgres } from './world/shared-postgres.ts';

/** Scenarios that one test file runs; its PostgreSQL server is its own. */
export function testScenarios(scenarios: readonly Scenario[]): void {
  const { seed } = seededRandom();
  const results: Result[] = [];

  describe(`invariants hold through faults (seed ${seed})`, () => {
    afterAll(async () => {
      await removeSharedPostgres();
      console.log(`seed ${seed}`);
      printTable(results);
    });

    const titled = scenarios.map((scenario) => [scenario.title, scenario] as const);
    test.each(titled)('%s', { timeout: 300_000 }, async (_, scenario) => {
      const say = (line: string) => console.log(line);
      const result = await runScenario(scenario, { seed, scale: 'short', say, nothingMayBeSkipped: Boolean(process.env['CI']) });
      results.push(result);
      // Report of a failed scenario: the seed, the invariant and the journal.
      expect(result.failure).toBe('');
    });
  });
}
