// Opens every screen, seeded and empty, in both themes: no fault in the page, no accessibility violations.
import { kinds } from '@svc/shared/kinds';
import type { Page } from '@playwright/test';
import { expectLoaded, expectNoBarriers } from './barriers.ts';
import { expect } from './fixtures.ts';
import { test, visit } from './one-page.ts';

const FIXED = [
  'dashboard',
  'inbox',
  'inbox?view=history',
  'simulator',
  'events',
  'capabilities',
  'settings',
  'tokens',
  'users',
  'account',
  'settings?tab=shortcuts',
  'settings?tab=about',
  'import',
  'bundle',
  'compare',
  'chat',
  'experiment',
  'a2a',
  'help',
  'help?guide=reference/kinds/agents',
];
const lists = kinds.map(({ plural }) => plural);

/** One object of each kind that the seeded server has, and its screens. */
const OBJECTS = [
  'agents/billing',
  'agents/billing?tab=form',
  'agents/billing?tab=yaml',
  'agents/billing?tab=relations',
  'agents/billing?tab=events',
  'agent-systems/quarterly-report',
  'agent-systems/service-desk?tab=overview',
  'model-endpoints/desk-model',
  'tools/invoice-delete',
  'tool-permissions/invoice-delete',
  'agent-roles/bookkeeper',
  'agent-policies/small-runs',
  'secrets/erp-token',
  'task-schedules/weekly-report',
  'mcp-servers/wiki',
  'sessions/invoice-questions',
  'sessions/invoice-questions?checkpoints=true',
  'tasks?q=open',
  'tasks/report-q3',
  'tasks/doomed',
  'tasks/question-1?tab=messages',
  'tasks/question-1?tab=logs',
  'tasks/question-1?tab=metrics',
  'tasks/question-1?tab=cost',
  'tasks/question-1?tab=io',
  'tasks/question-1?tab=approvals',
  'tasks/question-1?tab=explain',
  'tasks/question-1?tab=yaml',
  'tasks/question-1?tab=related',
  'compare?left=operations/question-1&right=operations/question-2',
  'new/agents',
  'new/agent-systems',
  'agents/no-such-agent',
  'no-such-kind',
];

async function settle(page: Page): Promise<void> {
  await page.getByRole('main').waitFor();
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await expectLoaded(page);
  // Parts of the page scroll, and the window does not.
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollHeight)).toBe(page.viewportSize()?.height);
}

// Visits change nothing, so workers may share them out.
test.describe.configure({ mode: 'parallel' });
// The list of faults describes a failure well enough; a trace of each visit would cost more than the visit.
test.use({ colorScheme: 'light', reducedMotion: 'reduce', trace: 'off' });

for (const path of [...FIXED, ...lists, ...OBJECTS]) {
  test(`/n/operations/${path}`, async ({ page, world, signals }) => {
    // These paths request missing objects on purpose.
    if (path.includes('no-such')) signals.allow(/404/);
    // So does the screen of users on a server without them.
    if (path === 'users') signals.allow(/409/);
    await visit(page, world.url, `/n/operations/${path}`);
    await settle(page);
    await expectNoBarriers(page);
  });
}

for (const path of ['/welcome', '/n/-/tasks', '/n/-/agents', '/n/-/inbox']) {
  test(path, async ({ page, world }) => {
    await visit(page, world.url, path);
    await settle(page);
    await expectNoBarriers(page);
  });
}

for (const path of ['dashboard', 'inbox', 'tasks', 'agents', 'agent-systems', 'workers', 'events']) {
  test(`an empty server, /n/default/${path}`, async ({ page, emptyWorld }) => {
    await visit(page, emptyWorld.url, `/n/default/${path}`);
    await settle(page);
    await expectNoBarriers(page);
  });
}
