// The short form of the fault suite: each scenario once. `npm run faults` runs the same code with larger numbers.
import { afterAll, describe, expect, test } from 'vitest';
import { printTable } from '../faults/report.ts';
import { SCENARIOS } from '../faults/scenarios/list.ts';
import { runScenario, type Result } from '../faults/suite.ts';
import { removeSharedPostgres } from '../faults/world/shared-postgres.ts';
import { seededRandom } from '../../server/testing/random.ts';

const { seed } = seededRandom();
const results: Result[] = [];

describe(`invariants hold through faults (seed ${seed})`, () => {
  afterAll(async () => {
    await removeSharedPostgres();
    console.log(`seed ${seed}`);
    printTable(results);
  });

  const titled = SCENARIOS.map((scenario) => [scenario.title, scenario] as const);
  test.each(titled)('%s', { timeout: 150_000 }, async (_, scenario) => {
    const say = (line: string) => console.log(line);
    const result = await runScenario(scenario, { seed, scale: 'short', say, nothingMayBeSkipped: Boolean(process.env['CI']) });
    results.push(result);
    // Report of a failed scenario: the seed, the invariant and the journal.
    expect(result.failure).toBe('');
  });
});
