// The page of A2A agents over answers of the REST API.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { serve } from '../../testing/fake-link.ts';
import { giveLayout } from '../../testing/layout.ts';
import { renderAt } from '../../testing/render-at.tsx';
import { AgentsPage } from './AgentsPage.tsx';

giveLayout();
// Loaded on demand, which may take longer than a query waits.
beforeAll(() => import('./parts/SendDialog.tsx'));
afterEach(() => vi.unstubAllGlobals());

const url = 'https://host/v1/agent-systems/desk/a2a?namespace=ops';
const CARD = { name: 'desk', url, description: 'Answers questions', authentication: { schemes: ['bearer'] }, skills: [{ name: 'find' }] };
const REGISTRY = {
  localAgents: [CARD, { name: 'other', url: 'https://host/v1/agent-systems/other/a2a' }],
  remoteAgents: [{ name: 'far', namespace: 'ops', url: 'https://far.test', cacheStatus: 'stale', error: 'unknown kid' }],
};

type Handler = (path: string) => { readonly status?: number; readonly body: unknown };

const show = (handler: Handler, { role = 'writer', send = () => null }: { role?: string; send?: (message: unknown) => unknown } = {}) => {
  serve({ server: { hello: () => ({ identity: { name: 'ana', role }, features: [] }) }, agents: { send } });
  vi.stubGlobal('fetch', async (path: string) => {
    const { status = 200, body } = handler(path);
    return Promise.resolve(new Response(JSON.stringify(body), { status }));
  });
  return renderAt('/n/ops/a2a', AgentsPage, '/n/$ns/a2a');
};
const listed = async (name: string) => within(await screen.findByRole('list', { name }));

test('agents of the namespace are listed with state and need of a token', async () => {
  await show(() => ({ body: REGISTRY }));
  const local = await listed('Local agents');
  expect(local.getAllByRole('listitem')).toHaveLength(1);
  expect(local.getByText('Token required')).toBeDefined();
  expect(local.getByText('Not signed')).toBeDefined();
  expect((await listed('Remote agents')).getByText('Failed')).toBeDefined();
  expect(screen.getByText('1 local, 1 remote; 1 in other namespaces')).toBeDefined();
});

test('the details of a local agent hold the card as it is served', async () => {
  const paths: string[] = [];
  await show((path) => {
    paths.push(path);
    return { body: path.startsWith('/v1/a2a') ? REGISTRY : { ...CARD, served: true } };
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Details of desk' }));
  await waitFor(() => expect(screen.getByRole('tree', { name: 'Card of desk' }).textContent).toContain('served'));
  expect(paths).toContain('/v1/agent-systems/desk/.well-known/agent-card.json?namespace=ops');
  expect(screen.getByRole('region', { name: 'curl for desk' }).textContent).toContain('$SVC_TOKEN');
});

test('the error of a remote card is shown with its details', async () => {
  await show(() => ({ body: REGISTRY }));
  fireEvent.click(await screen.findByRole('button', { name: 'Details of far' }));
  expect(screen.getByText('unknown kid')).toBeDefined();
});

test('a message is sent to the system in the name of the person, and its answer is shown', async () => {
  const sent: unknown[] = [];
  const send = (message: unknown) => {
    sent.push(message);
    return { jsonrpc: '2.0', id: 1, result: { status: { state: 'completed' }, artifacts: [{ parts: [{ text: 'Hello back' }] }] } };
  };
  await show(() => ({ body: REGISTRY }), { send });
  fireEvent.click(await screen.findByRole('button', { name: 'Try desk' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Send' }));
  const answer = within(await screen.findByRole('region', { name: 'Answer' }));
  expect(answer.getByText('completed')).toBeDefined();
  expect(answer.getByRole('region', { name: 'Text of the answer' }).textContent).toBe('Hello back');
  expect(sent).toEqual([{ namespace: 'ops', name: 'desk', text: 'Hello', messageId: expect.stringMatching(/^console-/) }]);
});

test('a refused registry is an error with its reason, not an empty list', async () => {
  await show(() => ({ status: 503, body: { error: { code: 'unavailable', message: 'the database is away' } } }));
  expect(await screen.findByText('The agents could not be loaded')).toBeDefined();
  expect(screen.getByText(/the database is away/)).toBeDefined();
  expect(screen.queryByText('No remote agents')).toBeNull();
});

test('an empty registry explains how to fill it', async () => {
  await show(() => ({ body: { localAgents: [], remoteAgents: [] } }));
  expect(await screen.findByText('No system is open to A2A')).toBeDefined();
  expect(screen.getByText('No remote agents')).toBeDefined();
});

test('a reader cannot send messages', async () => {
  await show(() => ({ body: REGISTRY }), { role: 'reader' });
  const button = await screen.findByRole('button', { name: 'Try desk' });
  await waitFor(() => expect(button.getAttribute('aria-disabled')).toBe('true'));
});
