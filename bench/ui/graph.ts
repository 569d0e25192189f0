// An agent system of 200 nodes: from the navigation to its picture.
import type { Browser } from '@playwright/test';
import { createWorld } from '../../e2e/world/world.ts';
import { percentile, type Row } from '../row.ts';
import { budget, dragFrames, median, timeNavigation } from './probe.ts';

const NODES = 200;
/** Nodes outside of the window are not drawn; at least this many are visible at the first zoom. */
const SHOWN = 10;
const RUNS = 5;
const DRAG_STEPS = 240;
const NODE = '.react-flow__node';

/** Ten lanes that fan out and join again, twenty deep. */
function system(): string {
  const names = Array.from({ length: NODES }, (_, index) => `node-${String(index).padStart(3, '0')}`);
  const agents = names.map((name) => `kind: Agent\nmetadata: {name: ${name}}\nspec: {model_ref: none, prompt: "Work."}`);
  const graph = names.map((name, index) => {
    const next = names[index + 10];
    const across = index % 10 === 0 ? names[index + 15] : undefined;
    const edges = [next, across].filter((each) => each !== undefined).map((to) => `{to: ${to}}`);
    return `    ${name}: {${edges.length > 0 ? `edges: [${edges.join(', ')}]` : ''}}`;
  });
  const document = `kind: AgentSystem\nmetadata: {name: large}\nspec:\n  agents: [${names.join(', ')}]\n  graph:\n${graph.join('\n')}`;
  return [...agents, document].join('\n---\n');
}

export async function benchGraph(browser: Browser): Promise<Row[]> {
  const world = await createWorld();
  await world.apply('kind: ModelEndpoint\nmetadata: {name: none}\nspec: {provider: mock}');
  await world.apply(system());
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  // The chunk is loaded and warm, as when one goes from system to system.
  await page.goto(`${world.url}/n/default/agent-systems/large`);
  await page
    .locator(NODE)
    .nth(SHOWN - 1)
    .waitFor({ state: 'attached' });
  const value = await median(RUNS, async () => {
    await timeNavigation(page, { path: '/n/default/capabilities', ready: 'h1' });
    await page.waitForFunction((selector) => document.querySelector(selector) === null, NODE);
    return timeNavigation(page, {
      path: '/n/default/agent-systems/large',
      ready: NODE,
      count: SHOWN,
    });
  });
  const frames = await dragFrames(page, NODE, DRAG_STEPS);
  await page.close();
  await world.dispose();
  return [
    budget(`system of ${NODES} nodes, navigation to picture`, value, { limit: 400 }),
    budget('dragging one of its nodes, p95 frame', percentile(frames, 95), { limit: 32 }),
  ];
}
