// A run with a trace of 40,000 entries, opened from its list: until rows of the waterfall are there and all entries are read.
import type { Browser } from '@playwright/test';
import { createWorld } from '../../e2e/world/world.ts';
import type { Row } from '../row.ts';
import { budget, median } from './probe.ts';

const ENTRIES = 40_000;
/** Trace entries of one agent turn in a ring of two agents. */
const ENTRIES_PER_TURN = 7;
const RUNS = 3;
const ROW = '[role="treegrid"] [role="row"]';

const ring = `kind: ModelEndpoint
metadata: {name: ring}
spec: {provider: mock, options: {script: ok}}
---
kind: Agent
metadata: {name: ping}
spec: {model_ref: ring, prompt: Go on.}
---
kind: Agent
metadata: {name: pong}
spec: {model_ref: ring, prompt: Go on.}
---
kind: AgentSystem
metadata: {name: ring}
spec: {agents: [ping, pong], graph: {ping: {edges: [{to: pong}]}, pong: {edges: [{to: ping}]}}}
---
kind: Task
metadata: {name: long}
spec: {system: ring, max_turns: ${Math.ceil(ENTRIES / ENTRIES_PER_TURN)}, input: {topic: ring}}`;

export async function benchTrace(browser: Browser): Promise<Row[]> {
  const world = await createWorld();
  await world.apply(ring);
  await world.untilPhase('default/long', ['Succeeded', 'Failed', 'DeadLetter']);
  let rowsOnPage = 0;
  const open = async (): Promise<number> => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${world.url}/n/default/tasks`);
    await page.getByRole('grid').getByText('long').first().waitFor();
    const began = performance.now();
    await page.evaluate(() => {
      window.history.pushState({}, '', '/n/default/tasks/long?tab=trace');
      window.dispatchEvent(new PopStateEvent('popstate'));
    });
    await page.locator(ROW).nth(5).waitFor();
    const time = performance.now() - began;
    rowsOnPage = await page.locator(ROW).count();
    await page.close();
    return time;
  };
  const value = await median(RUNS, open);
  await world.dispose();
  return [
    budget(`trace of ${ENTRIES.toLocaleString('en-US')} entries, navigation to rows`, value, {
      limit: 1000,
      note: `${rowsOnPage} rows on the page (at most 200)`,
    }),
  ];
}
