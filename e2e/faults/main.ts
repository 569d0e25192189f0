// `npm run faults -- --seed N --scale short|long [--only name]`: prints the seed, runs the scenarios, prints a table; exit code 1 when
// an invariant did not hold, 2 for a wrong command line.
import { parseArgs } from 'node:util';
import { printTable } from './report.ts';
import { LANES, SCENARIOS } from './scenarios/list.ts';
import type { Scale, Scenario } from './scenario.ts';
import { runScenario, type Result } from './suite.ts';
import { removeSharedPostgres } from './world/shared-postgres.ts';

interface Options {
  readonly seed: number;
  readonly scale: Scale;
  readonly only: readonly string[];
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      scale: { type: 'string', default: 'short' },
      only: { type: 'string', multiple: true, default: [] },
    },
  });
  const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
  const names = SCENARIOS.map(({ name }) => name);
  const unknown = values.only.filter((name) => !names.includes(name));
  if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number');
  if (values.scale !== 'short' && values.scale !== 'long') throw new Error('--scale must be short or long');
  if (unknown.length > 0) throw new Error(`no scenario named ${unknown.join(', ')}; there are ${names.join(', ')}`);
  return { seed, scale: values.scale, only: values.only };
}

/** A wrong command line is one sentence and exit code 2. */
function optionsOrLeave(): Options {
  try {
    return readOptions();
  } catch (error) {
    console.error(`faults: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(2);
  }
}

async function runLane(lane: readonly Scenario[], { seed, scale, only }: Options): Promise<Result[]> {
  const results: Result[] = [];
  const say = (line: string) => console.log(line);
  const nothingMayBeSkipped = Boolean(process.env['CI']);
  for (const scenario of lane) {
    if (only.length > 0 && !only.includes(scenario.name)) continue;
    say(`${scenario.name}: ${scenario.title} …`);
    const result = await runScenario(scenario, { seed, scale, say, nothingMayBeSkipped });
    say(`${scenario.name}: ${result.verdict}${result.failure === '' ? '' : `\n${result.failure}`}`);
    results.push(result);
  }
  return results;
}

// Ending the suite ends everything it started; all but the database goes as the process exits.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void removeSharedPostgres().finally(() => process.exit(130)));

const options = optionsOrLeave();
console.log(`seed ${options.seed}`);
try {
  const results = (await Promise.all(LANES.map((lane) => runLane(lane, options)))).flat();
  printTable(results);
  if (results.some(({ failure }) => failure !== '')) process.exitCode = 1;
} finally {
  await removeSharedPostgres();
}
