// The table at the end of a run of the suite.
import Table from 'cli-table3';
import type { Result } from './suite.ts';

const COLUMNS = ['scenario', 'tasks', 'kills', 'takeovers', 'repeated unrecorded calls', 'seconds', 'verdict', 'note'];

export function printTable(results: readonly Result[]): void {
  const table = new Table({
    head: COLUMNS,
    style: { head: [], border: [] },
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right', 'left', 'left'],
  });
  for (const { scenario, outcome, verdict, durationMs } of results) {
    const counts = outcome ? [outcome.tasks, outcome.kills, outcome.takeovers, outcome.repeated].map(String) : ['', '', '', ''];
    table.push([scenario.name, ...counts, (durationMs / 1000).toFixed(1), verdict, outcome?.note ?? '']);
  }
  console.log(table.toString());
}
