// Trials in the console: breakpoints that are continued, changed, ended or missed, pinned outputs, and parts of a system run again.
import type { Page } from '@playwright/test';
import type { World } from '../world/world.ts';
import { expectNoBarriers } from './barriers.ts';
import { expect, test } from './fixtures.ts';

const PIPELINE = `kind: ModelEndpoint
metadata: { name: m }
spec:
  provider: mock
  options: { agent.planner: 'Three parts: causes, tides, harbours.', agent.writer: 'An article. {{input}}' }
---
kind: Agent
metadata: { name: planner }
spec: { model_ref: m }
---
kind: Agent
metadata: { name: writer }
spec: { model_ref: m }
---
kind: AgentSystem
metadata: { name: pipeline }
spec: { agents: [planner, writer] }
`;

async function trial(world: World, name: string, spec?: object): Promise<void> {
  const body = { system: 'pipeline', input: { topic: 'tides' }, ...(spec && { trial: spec }) };
  await world.call('POST', '/v1/tasks', { kind: 'Task', metadata: { name, namespace: 'default' }, spec: body });
}

interface Task {
  readonly spec: { readonly trial?: object; readonly input?: object };
  readonly status: { readonly phase: string; readonly reason?: string; readonly output?: { readonly last_output: string } };
}

const taskOf = async (world: World, name: string) => (await world.call('GET', `/v1/tasks/${name}`)) as Task;

const breakpoint = (page: Page) => page.getByRole('region', { name: 'Breakpoint', exact: true });

test.use({ baseURL: async ({ emptyWorld }, use) => use(emptyWorld.url) });

test.beforeEach(({ emptyWorld }) => emptyWorld.apply(PIPELINE));

test('a run is continued at its breakpoints by keyboard, with another message and another output', async ({ page, emptyWorld: world }) => {
  await trial(world, 'report');
  await world.untilPhase('default/report', ['Succeeded']);
  const breakpoints = [
    { node: 'writer', at: 'before' },
    { node: 'writer', at: 'after' },
  ];
  await trial(world, 'changed', { breakpoints, pins: [{ node: 'planner', task: 'report' }] });
  await page.goto('/n/default/tasks/changed');
  await expect(breakpoint(page).getByRole('heading')).toHaveText('Waits before writer');
  await expect(page.getByRole('note', { name: 'Trial' })).toContainText('planner reused from report·stops before writer, after writer');
  const message = breakpoint(page).getByRole('textbox', { name: 'Message to writer' });
  await expect(message).toHaveValue(/From planner\nThree parts/);
  const rows = page.getByRole('treegrid', { name: 'Trace' });
  await expect(rows.getByRole('row', { name: /Agent: *planner.*Reused/ })).toBeVisible();
  await expect(rows.getByRole('row', { name: /Breakpoint: *Before writer.*Waiting/ })).toBeVisible();
  await expect(page.locator('.react-flow__node').filter({ hasText: 'writer' })).toContainText('Waits before');
  await expectNoBarriers(page, { picture: 'before', widths: [1000, 1440] });
  await message.fill('Harbours only.');
  await expect(breakpoint(page)).toContainText('Changed');
  await page.keyboard.press('Control+Enter');
  const output = breakpoint(page).getByRole('textbox', { name: 'Output of writer' });
  await expect(output).toHaveValue('An article. Harbours only.');
  await expect(rows.getByRole('row', { name: /Before writer.*Done/ })).toBeVisible();
  await output.fill('A better article.');
  await page.getByRole('button', { name: 'Undo changes' }).click();
  await expect(output).toHaveValue('An article. Harbours only.');
  await output.fill('A better article.');
  await page.getByRole('button', { name: 'Continue with changes' }).click();
  await expect(page.getByRole('region', { name: 'Output of the run' })).toContainText('A better article.');
  await expect(breakpoint(page)).toHaveCount(0);
  await rows.getByRole('row', { name: /Agent: *writer/ }).click();
  await expect(page.getByRole('region', { name: 'From the breakpoint' }).last()).toContainText('Harbours only.');
  await page.goto('/n/default/tasks');
  await expect(page.getByRole('row', { name: /changed/ })).toContainText('Trial');
  await expect(page.getByRole('row', { name: /report/ })).not.toContainText('Trial');
});

test('a text that somebody else overtook stays on the page, with the name of that person', async ({ page, emptyWorld: world, signals }) => {
  signals.allow(/409/);
  await trial(world, 'overtaken', { breakpoints: [{ node: 'planner', at: 'after' }] });
  await page.goto('/n/default/tasks/overtaken');
  const output = breakpoint(page).getByRole('textbox', { name: 'Output of planner' });
  await output.fill('My own plan, written at length.');
  await world.call('POST', '/v1/tasks/overtaken/continue', { output: 'Another plan.' });
  await expect(breakpoint(page)).toContainText('The breakpoint after was continued by anonymous. Your text was not sent');
  await expect(output).toHaveValue('My own plan, written at length.');
  await expect(output).not.toBeEditable();
  await expect(page.getByRole('region', { name: 'Output of the run' })).toContainText('Another plan.');
  await breakpoint(page).getByRole('button', { name: 'Discard' }).click();
  await expect(breakpoint(page)).toHaveCount(0);
});

test('a refused continue shows the message of the server and keeps the text', async ({ page, emptyWorld: world, signals }) => {
  signals.allow(/409/);
  await trial(world, 'refused', { breakpoints: [{ node: 'planner', at: 'after' }] });
  await page.goto('/n/default/tasks/refused');
  const output = breakpoint(page).getByRole('textbox', { name: 'Output of planner' });
  await output.fill('Mine.');
  // Somebody else is faster by less than the live stream takes.
  await page.route('**/trpc/runs.continue*', async (route) => {
    await world.call('POST', '/v1/tasks/refused/continue', { output: 'Theirs.' });
    await route.continue();
  });
  await page.getByRole('button', { name: 'Continue with changes' }).click();
  await expect(page.getByRole('alert')).toContainText('Task default/refused does not wait at a breakpoint');
  await expect(output).toHaveValue('Mine.');
});

test('a run is ended at its breakpoint as cancelled, with a reason', async ({ page, emptyWorld: world }) => {
  await trial(world, 'stopped', { breakpoints: [{ node: 'planner', at: 'before' }] });
  await page.goto('/n/default/tasks/stopped');
  await breakpoint(page).getByRole('button', { name: 'End the run' }).click();
  const dialog = page.getByRole('dialog', { name: 'End stopped?' });
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('The message is wrong');
  await page.keyboard.press('Enter');
  await expect(page.getByText('ended at the breakpoint before planner by anonymous: The message is wrong')).toBeVisible();
  expect((await taskOf(world, 'stopped')).status).toMatchObject({ phase: 'Failed', reason: 'cancelled' });
});

test('a breakpoint whose deadline passes says so, and a text that was begun stays', async ({ page, emptyWorld: world }) => {
  await trial(world, 'late', { breakpoints: [{ node: 'planner', at: 'after' }], wait: '4s' });
  await page.goto('/n/default/tasks/late');
  const output = breakpoint(page).getByRole('textbox', { name: 'Output of planner' });
  await output.fill('Too late.');
  await expect(page.getByRole('heading', { name: /Nobody continued the run/ })).toBeVisible();
  await expect(breakpoint(page)).toContainText('The deadline passed');
  await expect(output).toHaveValue('Too late.');
});
