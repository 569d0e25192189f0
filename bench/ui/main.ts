// `npm run bench:ui`: cost of the console in a real browser against a real server, beside its budgets. Prints one table, writes bench/results/ui.json.
import { chromium } from '@playwright/test';
import { requireChromium } from '../../e2e/chromium.cjs';
import { report } from '../report.ts';
import type { Row } from '../row.ts';
import { benchBundle } from './bundle.ts';
import { benchDesktop } from './desktop.ts';
import { benchFirstScreen } from './first-screen.ts';
import { benchGraph } from './graph.ts';
import { benchList } from './list.ts';
import { benchLive } from './live.ts';
import { benchSession } from './session.ts';
import { benchTerminal } from './terminal.ts';
import { benchTrace } from './trace.ts';

const suites = {
  list: benchList,
  live: benchLive,
  graph: benchGraph,
  trace: benchTrace,
  session: benchSession,
  terminal: benchTerminal,
  desktop: benchDesktop,
  start: benchFirstScreen,
};

const executablePath = requireChromium();
const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => name !== 'bundle' && !(name in suites));
if (unknown.length > 0) throw new Error(`no benchmark named ${unknown.join(', ')}; there are bundle, ${Object.keys(suites).join(', ')}`);
const wanted = (name: string): boolean => chosen.length === 0 || chosen.includes(name);

const rows: Row[] = wanted('bundle') ? benchBundle() : [];
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--enable-precise-memory-info'],
});
try {
  for (const [name, run] of Object.entries(suites)) {
    if (!wanted(name)) continue;
    console.error(`${name} …`);
    rows.push(...(await run(browser)));
  }
} finally {
  await browser.close();
}
report(rows, 'ui.json');
