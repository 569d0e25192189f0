// Palette over a fake server: commands for the objects it finds.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, onTestFinished, test } from 'vitest';
import { register } from '../../shortcuts/registry.ts';
import { toolApproval } from '../../testing/approvals.ts';
import { serve } from '../../testing/fake-link.ts';
import { objectOf } from '../../testing/fake-objects.ts';
import { renderAt } from '../../testing/render-at.tsx';
import { CommandPalette } from './CommandPalette.tsx';

const HITS = [
  { kind: 'AgentSystem', namespace: 'ops', name: 'pipeline', phase: 'Ready' },
  { kind: 'Task', namespace: 'ops', name: 'pipeline-1', phase: 'Running' },
  { kind: 'Task', namespace: 'ops', name: 'pipeline-2', phase: 'Failed', reason: 'cancelled' },
];

/** As the server: `kind:name`, and no name with a space. */
const search = ({ text }: { readonly text: string }) => {
  const [name = '', kind] = text.split(':').toReversed();
  return HITS.filter((hit) => hit.name.startsWith(name) && (kind === undefined || hit.kind === kind));
};

const LISTED = [
  objectOf('Task', 'slow', { spec: { system: 'desk' }, status: { phase: 'Running' } }),
  objectOf('Task', 'broken', { spec: { system: 'desk' }, status: { phase: 'Failed' } }),
  objectOf('TaskSchedule', 'nightly', {}),
  objectOf('TaskWebhook', 'orders', { spec: { suspend: true } }),
  {
    ...objectOf('Worker', 'rack-7', { spec: { suspend: true } }),
    metadata: { ...objectOf('Worker', 'rack-7', {}).metadata, namespace: 'default' },
  },
];

async function palette(role = 'writer', page = '/n/ops/tasks') {
  serve({
    server: { hello: () => ({ time: new Date().toISOString(), identity: { role } }) },
    resources: {
      search,
      list: ({ kind, nameContains = '' }) => ({
        items:
          kind === 'ToolApproval'
            ? [toolApproval().resource]
            : LISTED.filter((each) => each.kind === kind && each.metadata.name.includes(nameContains)),
      }),
    },
  });
  const at = await renderAt(page, () => <CommandPalette initialText="" onClose={() => undefined} />);
  const type = (text: string) => fireEvent.change(screen.getByRole('combobox'), { target: { value: text } });
  const options = (group: string) =>
    within(screen.getByRole('group', { name: group }))
      .getAllByRole('option')
      .map(({ textContent }) => textContent);
  return { ...at, type, options };
}

test.each([
  ['run pipe', ['Run pipeline…']],
  ['chat with pipeline', ['Chat with pipeline']],
  ['edit pipe', ['Edit pipeline']],
  ['open pipeline-2', ['Open pipeline-2']],
  ['Cancel pipe', ['Cancel pipeline-1…']],
])('%s offers that for the objects it applies to', async (text, expected) => {
  const { type, options } = await palette();
  type(text);
  await waitFor(() => expect(options('Commands')).toEqual(expected.map((each) => expect.stringContaining(each) as string)));
});

test.each([
  ['cancel', 'Cancel slow…'],
  ['Retry', 'Retry broken…'],
  ['suspend', 'Suspend nightly…'],
  ['resume ord', 'Resume orders'],
  ['resume rack', 'Resume rack-7'],
])('%s without a full name lists the objects that it applies to', async (text, expected) => {
  const { type, options } = await palette();
  type(text);
  await waitFor(() => expect(options('Objects for this verb')).toEqual([expect.stringContaining(expected) as string]));
});

test('retry opens the run with its dialog', async () => {
  const { type, address } = await palette();
  type('retry');
  fireEvent.click(await screen.findByRole('option', { name: /^Retry broken/ }));
  await waitFor(() => expect(address()).toBe('/n/ops/tasks/broken?ask=retry'));
});

test('suspend opens the object with its dialog, which takes a reason', async () => {
  const { type, address } = await palette();
  type('suspend');
  fireEvent.click(await screen.findByRole('option', { name: /^Suspend nightly/ }));
  await waitFor(() => expect(address()).toBe('/n/ops/task-schedules/nightly?ask=suspend'));
});

test('the object of the page is offered once', async () => {
  onTestFinished(register({ id: 'object.suspend', keys: undefined, label: 'Resume orders', group: 'This page', run: () => undefined }));
  const { type, options } = await palette('writer', '/n/ops/task-webhooks/orders');
  type('resume');
  await waitFor(() => expect(options('Actions')).toEqual(['Resume orders']));
  await waitFor(() => expect(options('Objects for this verb')).toEqual([expect.stringMatching(/^Resume rack-7/)]));
});

test('a name alone offers to run and to chat with the system', async () => {
  const { type, options } = await palette();
  type('pipeline');
  await waitFor(() => expect(options('Commands').map((each) => each.split(' pipeline')[0])).toEqual(['Run', 'Chat with']));
  expect(options('Resources')[2]).toContain('Cancelled');
});

test('only kinds whose objects people create are offered to be created', async () => {
  const { type } = await palette();
  type('workers');
  expect(await screen.findByRole('option', { name: /^Workers/ })).toBeDefined();
  expect(screen.queryByRole('option', { name: /^New worker/ })).toBeNull();
  type('agents');
  expect(await screen.findByRole('option', { name: /^New agent$/ })).toBeDefined();
});

test('run opens the page of the system with its dialog', async () => {
  const { type, address } = await palette();
  type('run pipe');
  fireEvent.click(await screen.findByRole('option', { name: /^Run pipeline/ }));
  await waitFor(() => expect(address()).toBe('/n/ops/agent-systems/pipeline?ask=run'));
});

test('a reader is offered to open and edit only', async () => {
  const { type } = await palette('reader');
  type('cancel pipe');
  await screen.findByRole('option', { name: /Search runs for/ });
  expect(screen.queryByRole('option', { name: /^Cancel pipe/ })).toBeNull();
});

test.each(['approve', 'Approve pay', 'approve job clerk'])('%s finds the waiting call, and opens it undecided', async (text) => {
  const { type, address } = await palette();
  type(text);
  fireEvent.click(await screen.findByRole('option', { name: /^Approve pay of job…/ }));
  await waitFor(() => expect(decodeURIComponent(address())).toBe('/n/ops/inbox?item=ToolApproval/ops/a'));
});

test('an approval about something else is not offered', async () => {
  const { type } = await palette();
  type('deny invoice');
  await screen.findByRole('option', { name: /Search runs for/ });
  expect(screen.queryByRole('option', { name: /^Deny/ })).toBeNull();
});

test('a further word of an action finds it', async () => {
  onTestFinished(
    register({ id: 'go.import', keys: undefined, label: 'Import YAML', words: 'apply file', group: 'Go to', run: () => undefined }),
  );
  const { type, options } = await palette();
  type('apply');
  await waitFor(() => expect(options('Actions')).toEqual(['Import YAML']));
});
