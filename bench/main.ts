// `npm run bench [name …]`: runs the benchmarks one after the other, prints one table and writes it as JSON to bench/results/.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import Table from 'cli-table3';
import { endPostgres } from './engines.ts';
import type { Row } from './row.ts';

/** Loaded on demand, so that one benchmark does not warm up another's code. */
const suites: Readonly<Record<string, () => Promise<Row[]>>> = {
  process: async () => (await import('./process.ts')).benchProcess(),
  http: async () => (await import('./http.ts')).benchHttp(),
  pages: async () => (await import('./pages.ts')).benchPages(),
  watch: async () => (await import('./watch.ts')).benchWatch(),
  store: async () => (await import('./store.ts')).benchStore(),
  claim: async () => (await import('./claim.ts')).benchClaim(),
  engine: async () => (await import('./engine.ts')).benchEngine(),
  tools: async () => (await import('./tools.ts')).benchTools(),
  isolation: async () => (await import('./isolation.ts')).benchIsolation(),
  governance: async () => [
    ...(await (await import('./judgement.ts')).benchJudgement()),
    ...(await (await import('./governance.ts')).benchGovernance()),
  ],
  fleet: async () => (await import('./fleet.ts')).benchFleet(),
  recovery: async () => (await import('./recovery.ts')).benchRecovery(),
  approvals: async () => (await import('./approvals.ts')).benchApprovals(),
  tasks: async () => (await import('./tasks.ts')).benchTasks(),
};

const figure = (value: number | undefined) =>
  value === undefined ? '' : value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 3 : value < 100 ? 1 : 0 });

function print(rows: readonly Row[]): void {
  const table = new Table({
    head: ['what', 'value', 'unit', 'reference', '', 'ratio', 'note'],
    style: { head: [], border: [] },
    colAligns: ['left', 'right', 'left', 'right', 'left', 'right'],
  });
  for (const row of rows) {
    table.push([
      row.name,
      figure(row.value),
      row.unit,
      figure(row.reference),
      row.referenceName ?? '',
      row.ratio?.toFixed(2) ?? '',
      row.note ?? '',
    ]);
  }
  console.log(table.toString());
}

async function runSuites(chosen: readonly string[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, run] of Object.entries(suites)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    console.error(`${name} …`);
    rows.push(...(await run()));
  }
  return rows;
}

async function main(chosen: readonly string[]): Promise<void> {
  const unknown = chosen.filter((name) => !(name in suites));
  if (unknown.length > 0) throw new Error(`no benchmark named ${unknown.join(', ')}; there are ${Object.keys(suites).join(', ')}`);
  const rows = await runSuites(chosen).finally(endPostgres);
  print(rows);
  const dir = join(import.meta.dirname, 'results');
  mkdirSync(dir, { recursive: true });
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length };
  writeFileSync(join(dir, 'latest.json'), `${JSON.stringify({ machine, rows }, null, 2)}\n`);
}

await main(process.argv.slice(2));
