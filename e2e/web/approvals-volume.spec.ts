// Many approvals at once: more tools than one request can name, runs that end meanwhile, and as many decision records to verify.
import type { World } from '../world/world.ts';
import { expect, test } from './fixtures.ts';

const COUNT = 120;
const RISKS = ['low', 'medium', 'high', 'critical'];
const NAMESPACE = 'depot';
const metadata = (name: string) => ({ name, namespace: NAMESPACE });
const documents = (list: readonly object[]): string => list.map((each) => JSON.stringify(each, null, 1)).join('\n---\n');

const cli = { command: 'echo', args: ['done'] };
const runtime = { isolation_mode: 'none' };

const tool = (index: number) => ({
  kind: 'Tool',
  metadata: metadata(`tool-${index}`),
  spec: { type: 'cli', operation_classes: ['write'], risk_level: RISKS[index % RISKS.length], cli, runtime },
});

const approval = (index: number) => ({
  kind: 'ToolApproval',
  metadata: metadata(`call-${index}`),
  spec: { task_ref: 'branches', tool: `tool-${index}`, agent: 'waits', input: '{}', reason: 'By hand.', ttl: '2h' },
});

/** Two branches: the first waits for a person, the second never ends. */
const branches = [
  {
    kind: 'ModelEndpoint',
    metadata: metadata('model'),
    spec: {
      provider: 'mock',
      options: { 'agent.start': 'Go.', 'agent.waits': '- {tool: tool-0, input: {}}', 'agent.works': '- {hang: true}' },
    },
  },
  {
    kind: 'ToolPermission',
    metadata: metadata('tool-0'),
    spec: { operation_rules: [{ operation_class: 'write', verdict: 'approval_required' }], approval: { ttl: '1h' } },
  },
  ...['start', 'waits', 'works'].map((name) => ({
    kind: 'Agent',
    metadata: metadata(name),
    spec: { model_ref: 'model', tools: name === 'waits' ? ['tool-0'] : [], limits: { timeout: '30m' } },
  })),
  {
    kind: 'AgentSystem',
    metadata: metadata('two-branches'),
    spec: { agents: ['start', 'waits', 'works'], graph: { start: { edges: [{ to: 'waits' }, { to: 'works' }] } } },
  },
];

let seeded: World | undefined;

test.describe.configure({ timeout: 120_000 });

test.beforeEach(async ({ emptyWorld: world }) => {
  if (seeded === world) return;
  seeded = world;
  const all = Array.from({ length: COUNT }, (_, index) => index);
  await world.apply(documents([...all.map(tool), ...branches]), NAMESPACE);
  await world.run(`${NAMESPACE}/two-branches`, 'branches', { topic: 'x' });
  await world.apply(documents(all.map(approval)), NAMESPACE);
});

test('the risk of every call is shown, however many tools there are', async ({ page, emptyWorld: world }) => {
  await page.goto(`${world.url}/n/${NAMESPACE}/inbox?q=call-`);
  const risks = page.getByRole('group', { name: 'Risk' });
  for (const risk of ['critical', 'high', 'medium'])
    await expect(risks.getByRole('button', { name: risk })).toContainText(String(COUNT / 4));
});

test('a run that works on another branch while it waits is found by its system', async ({ page, emptyWorld: world }) => {
  await page.goto(`${world.url}/n/${NAMESPACE}/inbox?group=system`);
  await expect(page.getByRole('heading', { name: 'two-branches' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Other runs' })).toHaveCount(0);
});

test('the record of each decision in the history is checked', async ({ page, emptyWorld: world }) => {
  for (let index = 0; index < 20; index += 1)
    await world.call('POST', `/v1/tool-approvals/call-${index}/deny?namespace=${NAMESPACE}`, { decided_by: 'ana' });
  await page.goto(`${world.url}/n/${NAMESPACE}/inbox?view=history`);
  const list = page.getByRole('list', { name: 'Past approvals' });
  await expect(list.getByText('verified')).toHaveCount(20);
});
