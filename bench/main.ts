// `npm run bench [name …]`: runs the benchmarks one after the other, prints one table and writes it as JSON to bench/results/.
import { endPostgres } from './engines.ts';
import { report } from './report.ts';
import type { Row } from './row.ts';

/** Loaded on demand, so that one benchmark does not warm up another's code. */
const suites: Readonly<Record<string, () => Promise<Row[]>>> = {
  process: async () => (await import('./process.ts')).benchProcess(),
  http: async () => (await import('./http.ts')).benchHttp(),
  pages: async () => (await import('./pages.ts')).benchPages(),
  readers: async () => (await import('./readers.ts')).benchReaders(),
  watch: async () => (await import('./watch.ts')).benchWatch(),
  store: async () => (await import('./store.ts')).benchStore(),
  queries: async () => (await import('./queries.ts')).benchQueries(),
  search: async () => (await import('./search.ts')).benchSearch(),
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
  sessions: async () => (await import('./sessions.ts')).benchSessions(),
  triggers: async () => (await import('./triggers.ts')).benchTriggers(),
  auth: async () => (await import('./auth.ts')).benchAuth(),
  mcp: async () => (await import('./mcp.ts')).benchMcp(),
  a2a: async () => (await import('./a2a.ts')).benchA2a(),
  memory: async () => (await import('./memory.ts')).benchMemory(),
};

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
  report(rows, 'latest.json');
}

await main(process.argv.slice(2));
