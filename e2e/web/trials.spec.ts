// Trials in the console: breakpoints that are continued, changed, ended or missed, pinned outputs, and parts of a system run again.
import type { Page } from '@playwright/test';
import type { World } from '../world/world.ts';
import { expectNoBarriers } from './barriers.ts';
import { expect, test } from './fixtures.ts';
import { visit } from './one-page.ts';

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
  readonly status: {
    readonly phase: string;
    readonly reason?: string;
    readonly blockedOn?: { readonly kind: string };
    readonly output?: { readonly last_output: string };
  };
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

test('a text stays on the page after a concurrent decision, with the name of the decider', async ({ page, emptyWorld: world, signals }) => {
  signals.allow(/409/);
  await trial(world, 'overtaken', { breakpoints: [{ node: 'planner', at: 'after' }] });
  await page.goto('/n/default/tasks/overtaken');
  const output = breakpoint(page).getByRole('textbox', { name: 'Output of planner' });
  await output.fill('My own plan, written at length.');
  await world.call('POST', '/v1/tasks/overtaken/continue', { output: 'Another plan.' });
  await expect(breakpoint(page)).toContainText(`The breakpoint after planner was continued by ${world.person}. Your text was not sent`);
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
  await expect(page.getByText(`ended at the breakpoint before planner by ${world.person}: The message is wrong`)).toBeVisible();
  expect((await taskOf(world, 'stopped')).status).toMatchObject({ phase: 'Failed', reason: 'cancelled' });
});

test('an expired breakpoint is shown as expired, and an unfinished text stays', async ({ page, emptyWorld: world }) => {
  // A page like it was shown before the time begins, so that all code is loaded.
  await trial(world, 'early', { breakpoints: [{ node: 'planner', at: 'after' }] });
  await page.goto('/n/default/tasks/early');
  await expect(breakpoint(page).getByRole('textbox', { name: 'Output of planner' })).toBeVisible();
  await trial(world, 'late', { breakpoints: [{ node: 'planner', at: 'after' }], wait: '4s' });
  await visit(page, world.url, '/n/default/tasks/late');
  const output = breakpoint(page).getByRole('textbox', { name: 'Output of planner' });
  await output.fill('Too late.');
  await expect(page.getByRole('heading', { name: /Nobody continued the run/ })).toBeVisible();
  await expect(breakpoint(page)).toContainText('The deadline passed');
  await expect(output).toHaveValue('Too late.');
});

const node = (page: Page, name: string) => page.locator('.react-flow__node').filter({ hasText: name });
const results = (page: Page) => page.getByRole('region', { name: 'Results of the run' });
/** The designer is a chunk of its own, which a busy machine serves slowly. */
const FIRST_LOOK_MS = 30_000;

async function startedRun(page: Page): Promise<string> {
  await expect.poll(() => new URL(page.url()).searchParams.get('run')).not.toBeNull();
  return new URL(page.url()).searchParams.get('run') ?? '';
}

test('breakpoints and a pin are set by keyboard, survive a reload, and make the next run a trial', async ({ page, emptyWorld: world }) => {
  await page.goto('/n/default/agent-systems/pipeline');
  await node(page, 'planner').focus({ timeout: FIRST_LOOK_MS });
  await page.keyboard.press('Enter');
  await page.keyboard.press('p');
  const pin = page.getByRole('dialog', { name: 'Pin the output of planner' });
  await pin.getByRole('textbox', { name: 'Output' }).fill('My plan.');
  await expectNoBarriers(page, { include: '[role=dialog]' });
  await page.keyboard.press('Control+Enter');
  await expect(pin).toBeHidden();
  await expect(node(page, 'planner')).toHaveAccessibleName(/output pinned/);
  await node(page, 'writer').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('b');
  await page.keyboard.press('Shift+F10');
  const menu = page.getByRole('menu', { name: 'Actions on writer' });
  await expect(menu.getByRole('menuitemcheckbox', { name: /Break before/ })).toBeChecked();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(menu.getByRole('menuitemcheckbox', { name: /Break after/ })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(node(page, 'writer')).toBeFocused();
  await expect(node(page, 'writer')).toHaveAccessibleName(/breakpoint before, breakpoint after/);
  await expect(page.getByText('No changes', { exact: true })).toBeVisible();
  await page.reload();
  const note = page.getByRole('note', { name: 'Next trial' });
  await expect(note).toContainText('planner pinned · stops before writer, after writer', { timeout: FIRST_LOOK_MS });
  await expect(node(page, 'writer').locator('[data-mark]')).toHaveCount(2);
  await expectNoBarriers(page, { picture: 'marks', widths: [1000, 1440] });

  await page.keyboard.press('r');
  const dialog = page.getByRole('dialog', { name: 'Run pipeline' });
  await dialog.getByText('planner pinned · stops before writer').click();
  await dialog.getByRole('textbox', { name: 'Deadline of a breakpoint' }).fill('soon');
  await expect(dialog.getByText('Write a duration such as 30m or 2h')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Deadline of a breakpoint' }).fill('20m');
  await dialog.getByRole('checkbox', { name: 'Break after writer' }).uncheck();
  await expectNoBarriers(page, { picture: 'form', widths: [1000, 1440], include: '[role=dialog]' });
  await dialog.getByRole('button', { name: 'Start the trial' }).click();
  const message = results(page).getByRole('textbox', { name: 'Message to writer' });
  await expect(message).toHaveValue(/From planner\nMy plan\./);
  await expect(node(page, 'planner')).toContainText('Pinned');
  await expect(node(page, 'writer')).toContainText('Waits before');
  await expectNoBarriers(page, { picture: 'drawer', widths: [1000, 1440] });
  const first = await startedRun(page);
  expect((await taskOf(world, first)).spec.trial).toEqual({
    breakpoints: [{ node: 'writer', at: 'before' }],
    pins: [{ node: 'planner', output: 'My plan.' }],
    wait: '20m',
  });
  await message.focus();
  await page.keyboard.press('Control+Enter');
  await expect(results(page)).toContainText('An article.');

  await node(page, 'writer').focus();
  await page.keyboard.press('r');
  await expect.poll(() => new URL(page.url()).searchParams.get('run')).not.toBe(first);
  await expect(message).toHaveValue(/My plan\./);
  await note.getByRole('button', { name: 'Clear breakpoints and pins' }).click();
  await expect(page.locator('[data-mark]')).toHaveCount(0);
});

test('an agent of a run on the canvas is run alone, and from there on, with what was recorded', async ({ page, emptyWorld: world }) => {
  await trial(world, 'base');
  await world.untilPhase('default/base', ['Succeeded']);
  await page.goto('/n/default/agent-systems/pipeline?run=base&item=writer');
  await results(page).getByRole('button', { name: 'Run only this agent' }).click({ timeout: FIRST_LOOK_MS });
  const dialog = page.getByRole('dialog', { name: 'Run pipeline' });
  await expect(dialog.getByRole('combobox', { name: 'Recorded run' })).toHaveValue('base');
  await expect(dialog.getByRole('checkbox', { name: 'Use the input of base' })).toBeChecked();
  await expect(dialog.getByRole('button', { name: 'Start the trial' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect.poll(() => new URL(page.url()).searchParams.get('run')).not.toBe('base');
  const alone = await startedRun(page);
  await expect(results(page)).toContainText('An article.');
  expect((await taskOf(world, alone)).spec.trial).toMatchObject({ only: { node: 'writer', task: 'base' } });
  await node(page, 'writer').focus();
  await page.keyboard.press('Shift+R');
  await dialog.getByRole('combobox', { name: 'Recorded run' }).selectOption('base');
  await dialog.getByRole('textbox', { name: 'Name of the run' }).fill('from-writer');
  await dialog.getByRole('button', { name: 'Start the trial' }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get('run')).not.toBe(alone);
  await expect(node(page, 'planner')).toContainText('Reused');
  expect((await taskOf(world, await startedRun(page))).spec.trial).toMatchObject({ from: { node: 'writer', task: 'base' } });
});

test('a trial begins from an agent on the page of an ended run', async ({ page, emptyWorld: world }) => {
  await trial(world, 'ended');
  await world.untilPhase('default/ended', ['Succeeded']);
  await page.goto('/n/default/tasks/ended');
  await page
    .getByRole('treegrid', { name: 'Trace' })
    .getByRole('row', { name: /Agent: *writer/ })
    .click();
  await page.getByRole('button', { name: 'Pin this output' }).click();
  const dialog = page.getByRole('dialog', { name: 'New trial of pipeline' });
  await expect(dialog.getByRole('combobox', { name: 'Output of writer' })).toHaveValue('from ended');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Run from here' }).click();
  await dialog.getByRole('checkbox', { name: 'Break after writer' }).check();
  await expectNoBarriers(page, { picture: 'from', widths: [1000, 1440], include: '[role=dialog]' });
  await dialog.getByRole('button', { name: 'Start the trial' }).click();
  await expect(page.getByRole('note', { name: 'Trial' })).toContainText('runs from writer, with the results before it from ended');
  await expect(breakpoint(page).getByRole('textbox', { name: 'Output of writer' })).toHaveValue(/An article\./);
  await page
    .getByRole('treegrid', { name: 'Trace' })
    .getByRole('row', { name: /Agent: *planner/ })
    .click();
  await expect(page.getByText('Reused from')).toBeVisible();
});

test('a recorded output whose agent has changed its routes is refused with a sentence, and the trial stays', async ({
  page,
  emptyWorld: world,
}) => {
  await trial(world, 'old-shape');
  await world.untilPhase('default/old-shape', ['Succeeded']);
  await page.goto('/n/default/agent-systems/pipeline?run=old-shape&item=planner');
  await results(page).getByRole('button', { name: 'Pin this output' }).click({ timeout: FIRST_LOOK_MS });
  await expect(node(page, 'planner').locator('[data-mark=pin]')).toHaveText('Reused');
  await world.apply(
    'kind: AgentSystem\nmetadata: { name: pipeline }\nspec: { agents: [planner, writer], graph: { planner: { edges: [{ to: writer, policy: { condition: always } }] } } }\n',
  );
  await page.getByRole('button', { name: 'Run again', exact: true }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get('run')).not.toBe('old-shape');
  await results(page).getByRole('button', { name: 'Answer' }).click();
  await expect(results(page)).toContainText('no longer fits: the routes or output markers of the node have changed');
  await expect(node(page, 'planner').locator('[data-mark=pin]')).toHaveText('Reused');
});

test('a mark of an agent that left the system is named in the form and removed there', async ({ page, emptyWorld: world }) => {
  await page.goto('/n/default/agent-systems/pipeline?item=writer');
  await expect(node(page, 'writer')).toBeVisible({ timeout: FIRST_LOOK_MS });
  await page.getByRole('region', { name: 'Next trial' }).getByRole('switch', { name: 'Break before' }).click();
  await expect(node(page, 'writer').locator('[data-mark=before]')).toBeVisible();
  await world.apply('kind: AgentSystem\nmetadata: { name: pipeline }\nspec: { agents: [planner] }\n');
  await expect(node(page, 'writer')).toHaveCount(0);
  await page.getByRole('button', { name: 'Run…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Run pipeline' });
  await dialog.getByText('stops before writer').click();
  await expect(dialog.getByText('No longer in the system')).toBeVisible();
  await dialog.getByRole('button', { name: 'Remove writer from the trial' }).click();
  await expect(dialog.getByRole('button', { name: 'Run', exact: true })).toBeEnabled();
});

test('the keys of a dialog leave the run behind it at its breakpoint', async ({ page, emptyWorld: world }) => {
  await trial(world, 'behind', { breakpoints: [{ node: 'planner', at: 'before' }] });
  await page.goto('/n/default/tasks/behind');
  await expect(breakpoint(page)).toBeVisible();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Run as a trial…' }).click();
  await expect(page.getByRole('dialog', { name: 'New trial of pipeline' }).getByRole('button', { name: 'Start the trial' })).toBeEnabled();
  await page.keyboard.press('Control+Enter');
  await expect(page).toHaveURL(/tasks\/pipeline-/);
  await expect(breakpoint(page)).toBeVisible();
  expect((await taskOf(world, 'behind')).status.blockedOn).toMatchObject({ kind: 'Breakpoint' });
});
