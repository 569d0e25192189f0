// A run with a trace of 40,000 entries, opened from its list: the time until its first rows are painted, and until all of it is loaded.
import type { Browser } from '@playwright/test';
import { createWorld } from '../../e2e/world/world.ts';
import type { Row } from '../row.ts';
import { budget, median } from './probe.ts';

const ENTRIES = 40_000;
/** Trace entries of one agent turn in a ring of two agents. */
const ENTRIES_PER_TURN = 7;
const RUNS = 3;
const ROW = '[role="treegrid"] [role="row"]';
const TURNS = Math.ceil(ENTRIES / ENTRIES_PER_TURN);

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
spec: {system: ring, max_turns: ${TURNS}, input: {topic: ring}}`;

export async function benchTrace(browser: Browser): Promise<Row[]> {
  const world = await createWorld();
  await world.apply(ring);
  await world.untilPhase('default/long', ['Succeeded', 'Failed', 'DeadLetter']);
  let rowsOnPage = 0;
  const whole: number[] = [];
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
    // Each turn is a row at least: a page that shows its first rows and no more has not opened the trace.
    await page.waitForFunction(
      (turns) => Number(document.querySelector('[role="treegrid"]')?.getAttribute('aria-rowcount')) > turns,
      TURNS,
    );
    whole.push(performance.now() - began);
    await page.close();
    return time;
  };
  const value = await median(RUNS, open);
  await world.dispose();
  return [
    budget(`trace of ${ENTRIES.toLocaleString('en-US')} entries, navigation to rows`, value, {
      limit: 1000,
      note: `${rowsOnPage} rows on the page (at most 200), all entries read after ${Math.round(Math.max(...whole))} ms at most`,
    }),
  ];
}
