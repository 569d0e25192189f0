// Cards of an MCP server over a fake server: tools by state, their cost, failures, trials and standard error.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { Resource } from '@svc/shared/resource';
import { beforeAll, expect, test, vi } from 'vitest';
import { refusal, serve, type Answers } from '../../../testing/fake-link.ts';
import { answerObjects, objectOf } from '../../../testing/fake-objects.ts';
import { giveLayout } from '../../../testing/layout.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { McpServerCards } from './McpServerCards.tsx';

giveLayout();
// Loaded on demand, which may take longer than a query waits.
beforeAll(() => import('./TryDialog.tsx'));

const server = (status: object, spec: object = {}): Resource =>
  objectOf('McpServer', 'notes', { spec: { transport: 'stdio', command: 'notes', ...spec }, status });
const FIND = objectOf('Tool', 'notes--find', {
  labels: { 'svc.dev/mcp-server': 'notes' },
  spec: { type: 'mcp', mcp_tool_name: 'find', description: 'Finds notes', risk_level: 'high', input_schema: { type: 'object' } },
});
const READY = {
  phase: 'Ready',
  protocolVersion: '2026-07-28',
  discoveredTools: ['find', 'drop'],
  generatedTools: ['notes--find'],
  stderrTail: 'listening',
};

const show = (resource: Resource, { objects = [FIND], ...answers }: Answers & { readonly objects?: readonly Resource[] } = {}) => {
  serve({
    resources: answerObjects(objects),
    server: { hello: () => ({ identity: { name: 'ana', role: 'writer' }, features: [] }), events: () => ({ items: [] }) },
    ...answers,
  });
  return renderAt('/n/ops/mcp-servers/notes', () => <McpServerCards resource={resource} />);
};
const rowOf = async (name: string) => {
  const row = (await screen.findByRole('button', { name: `Details of ${name}` })).closest('li');
  if (!row) throw new Error('no row');
  return within(row);
};

test('tools are listed with state, risk and cost', async () => {
  await show(server(READY, { tool_filter: { include: ['find'] } }));
  const find = await rowOf('find');
  expect(find.getByText('Generated')).toBeDefined();
  expect(find.getByText('high risk')).toBeDefined();
  expect(find.getByText(/^\d+ tokens$/)).toBeDefined();
  const drop = await rowOf('drop');
  expect(drop.getByText('Filtered out')).toBeDefined();
  expect(drop.queryByRole('button', { name: 'Try drop' })).toBeNull();
  expect(screen.getByText(/^1 of 2 are Tools/).textContent).toMatch(/about \d+ tokens of each/);
});

test('a row unfolds to description and schema', async () => {
  await show(server(READY));
  fireEvent.click(await screen.findByRole('button', { name: 'Details of find' }));
  expect(screen.getByText('Finds notes')).toBeDefined();
  expect(screen.getByRole('tree', { name: 'Input schema of find' })).toBeDefined();
});

test('a trial applies its four documents in one request', async () => {
  const applyAll = vi.fn(() => ({ results: [] }));
  await show(server(READY), { resources: { ...answerObjects([FIND]), applyAll } });
  fireEvent.click(await screen.findByRole('button', { name: 'Try find' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Run' }));
  await waitFor(() => expect(applyAll).toHaveBeenCalledOnce());
  const [input] = applyAll.mock.calls[0] as unknown as [{ documents: { kind: string }[]; namespace: string }];
  expect(input.namespace).toBe('ops');
  expect(input.documents.map(({ kind }) => kind)).toEqual(['ModelEndpoint', 'Agent', 'AgentSystem', 'Task']);
});

test('a trial whose answer was lost is started again under its name', async () => {
  const applyAll = vi.fn((_: unknown) => ({ results: [] }));
  applyAll.mockImplementationOnce(() => Promise.reject(new TypeError('Failed to fetch')) as never);
  await show(server(READY), { resources: { ...answerObjects([FIND]), applyAll } });
  fireEvent.click(await screen.findByRole('button', { name: 'Try find' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Run' }));
  expect(await screen.findByText(/try again, it is started only once/)).toBeDefined();
  fireEvent.click(screen.getByRole('button', { name: 'Run' }));
  await waitFor(() => expect(applyAll).toHaveBeenCalledTimes(2));
  const [[first], [second]] = applyAll.mock.calls as unknown as readonly [[object], [object]];
  expect(second).toEqual(first);
});

test('a tool is left out of the filter after its consequence is confirmed', async () => {
  const write = vi.fn(() => ({ resource: {} }));
  const notes = server(READY, { transport: 'http', command: undefined, endpoint: 'https://a.test' });
  await show(notes, { resources: { ...answerObjects([FIND, notes]), write } });
  fireEvent.click(await screen.findByRole('button', { name: 'Details of find' }));
  fireEvent.click(screen.getByRole('button', { name: 'Leave out' }));
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText(/tools that the server adds later are not imported/)).toBeDefined();
  fireEvent.click(dialog.getByRole('button', { name: 'Leave out' }));
  await waitFor(() => expect(write).toHaveBeenCalledOnce());
  expect(write.mock.calls[0]).toMatchObject([{ mode: 'patch', body: { spec: { tool_filter: { include: ['drop'] } } } }]);
});

test('a reader cannot try tools', async () => {
  await show(server(READY), {
    server: { hello: () => ({ identity: { name: 'rita', role: 'reader' }, features: [] }), events: () => ({ items: [] }) },
  });
  expect((await screen.findByRole('button', { name: 'Try find' })).getAttribute('aria-disabled')).toBe('true');
});

test('failed reads are errors, not empty lists', async () => {
  const fail = () => {
    throw refusal('unavailable', 'the database is away');
  };
  await show(server(READY), {
    resources: { list: fail },
    server: { hello: () => ({ identity: { name: 'ana', role: 'writer' }, features: [] }), events: fail },
  });
  expect(await screen.findByText('The tools could not be loaded')).toBeDefined();
  expect(await screen.findByText('The events could not be loaded')).toBeDefined();
  expect(screen.queryByText('No tools')).toBeNull();
  expect(screen.queryByText('Not imported')).toBeNull();
});

test('all pages of the Tools are read before any tool counts as not imported', async () => {
  const drop = objectOf('Tool', 'notes--drop', { labels: FIND.metadata.labels, spec: { type: 'mcp', mcp_tool_name: 'drop' } });
  const list = vi.fn(({ kind, after }: { readonly kind: string; readonly after?: string | undefined }) => {
    if (kind !== 'Tool') return { items: [] };
    return after === undefined ? { items: [drop], continue: 'notes--drop' } : { items: [FIND] };
  });
  await show(server(READY), { resources: { ...answerObjects([]), list } });
  expect((await rowOf('find')).getByText('Generated')).toBeDefined();
  expect((await rowOf('drop')).getByText('Generated')).toBeDefined();
});

test('a server that was never reached is marked', async () => {
  await show(server({ phase: 'Pending' }), { objects: [] });
  expect(await screen.findByText('No tools')).toBeDefined();
  expect(screen.getByText('The list has not been read yet.')).toBeDefined();
  expect(await screen.findByText('No connections yet')).toBeDefined();
  expect(screen.getByText('The program has written nothing.')).toBeDefined();
});

test('standard error is shown for programs only', async () => {
  await show(server(READY));
  expect(await screen.findByText('listening')).toBeDefined();
  await show(server({ ...READY }, { transport: 'http', command: undefined, endpoint: 'https://a.test' }));
  expect(await screen.findAllByRole('heading', { name: 'Standard error' })).toHaveLength(1);
});
