// A Session of 10,000 events, opened from the list: until its newest turns are painted.
import type { Browser } from '@playwright/test';
import { createWorld, type World } from '../../e2e/world/world.ts';
import type { Row } from '../row.ts';
import { budget, median } from './probe.ts';

const EVENTS = 10_000;
/** Events of one turn with three tool calls, checkpoints that are pruned included. */
const EVENTS_PER_TURN = 19;
const TURNS = Math.ceil(EVENTS / EVENTS_PER_TURN);
const RUNS = 5;

const talk = `kind: ModelEndpoint
metadata: {name: talker}
spec:
  provider: mock
  options:
    script: |
      - {tool: look, input: {question: one}}
      - {tool: look, input: {question: two}}
      - {tool: look, input: {question: three}}
      - text: "# Answer\\n\\nThis is **an answer** with a list:\\n\\n- one\\n- two\\n\\nIt ends with a paragraph that fills a line or two of the page."
---
kind: Tool
metadata: {name: look}
spec: {type: cli, description: Looks., cli: {command: echo, args: [found]}, runtime: {isolation_mode: none}}
---
kind: Agent
metadata: {name: talker}
spec: {model_ref: talker, prompt: Talk., tools: [look]}
---
kind: AgentSystem
metadata: {name: talker}
spec: {agents: [talker]}
---
kind: Session
metadata: {name: long}
spec: {system: talker}`;

interface SessionStatus {
  readonly status: { readonly completedTurns: number; readonly lastEventSequence: number };
}

/** Each question is sent once the one before it is answered, as people do. Returns the number of events. */
async function converse(world: World): Promise<number> {
  await world.apply(talk);
  let events = 0;
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const headers = { 'content-type': 'application/json', 'idempotency-key': `turn-${turn}` };
    const body = JSON.stringify({ content: `Question ${turn}` });
    const answer = await fetch(`${world.url}/v1/sessions/long/turns`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(await answer.text());
    events = await untilCompleted(world, turn);
  }
  return events;
}

async function untilCompleted(world: World, turns: number): Promise<number> {
  for (;;) {
    const { status } = (await world.call('GET', '/v1/sessions/long')) as SessionStatus;
    if (status.completedTurns === turns) return status.lastEventSequence;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Runs in the page: milliseconds from the navigation until an answer is painted. Waits of the test runner look in steps of up to 500 ms. */
const openLong = (): Promise<number> =>
  new Promise((resolve) => {
    const began = performance.now();
    const seen = new MutationObserver(() => {
      const answers = [...document.querySelectorAll('article')].some(({ textContent }) => textContent?.includes('This is an answer'));
      if (!answers) return;
      seen.disconnect();
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - began)));
    });
    seen.observe(document.body, { childList: true, subtree: true, characterData: true });
    window.history.pushState({}, '', '/n/default/sessions/long');
    window.dispatchEvent(new PopStateEvent('popstate'));
  });

export async function benchSession(browser: Browser): Promise<Row[]> {
  const world = await createWorld();
  const events = await converse(world);
  let turnsOnPage = 0;
  const open = async (): Promise<number> => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${world.url}/n/default/sessions`);
    await page.getByRole('grid').getByText('long').first().waitFor();
    await page.waitForLoadState('networkidle');
    const time = await page.evaluate(openLong);
    turnsOnPage = await page.getByRole('article').count();
    await page.getByText(`Question ${TURNS}`, { exact: true }).waitFor();
    await page.close();
    return time;
  };
  const value = await median(RUNS, open);
  await world.dispose();
  const note = `${turnsOnPage} of ${TURNS} turns on the page`;
  return [budget(`Session of ${events.toLocaleString('en-US')} events, navigation to turns`, value, { limit: 300, note })];
}
