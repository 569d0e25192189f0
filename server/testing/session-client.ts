// Client of a server's Sessions over REST, for tests.
import { expect, vi } from 'vitest';
import type { SessionEvent } from '@svc/shared/api/sessions';

/** The text that readers are left with: deltas since the last reset. */
export function shownText(events: readonly SessionEvent[]): string {
  let text = '';
  for (const { type, payload } of events) {
    if (type === 'message.reset') text = '';
    if (type === 'message.delta') text += String(payload['delta']);
  }
  return text;
}

export type Wire = Record<string, any>;

const KINDS: Record<string, string> = {
  'model-endpoints': 'ModelEndpoint',
  agents: 'Agent',
  'agent-systems': 'AgentSystem',
  sessions: 'Session',
  tools: 'Tool',
  'tool-permissions': 'ToolPermission',
};

/** `url` is that of the server. */
export function sessionClient(url: () => string) {
  async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(`${url()}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as any };
  }

  async function write(plural: string, name: string, spec: unknown) {
    const answer = await send('POST', `/v1/${plural}`, { apiVersion: 'svc.dev/v1', kind: KINDS[plural], metadata: { name }, spec });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  }

  const submit = (session: string, content: string, key: string) =>
    send('POST', `/v1/sessions/${session}/turns`, { content }, { 'idempotency-key': key });
  const eventsOf = async (session: string): Promise<SessionEvent[]> => (await send('GET', `/v1/sessions/${session}/events`)).body.items;
  const typesOf = async (session: string) => (await eventsOf(session)).map(({ type }) => type);

  async function until(session: string, type: string, count = 1) {
    await vi.waitFor(async () => expect((await typesOf(session)).filter((each) => each === type).length).toBe(count), {
      timeout: 20_000,
      interval: 30,
    });
  }

  const phaseOf = async (session: string) => (await send('GET', `/v1/sessions/${session}`)).body.status.phase;
  const checkpointsOf = async (session: string): Promise<Wire[]> => (await send('GET', `/v1/sessions/${session}/checkpoints`)).body.items;
  const branch = (session: string, id: string, action: 'rewind' | 'fork', body: unknown) =>
    send('POST', `/v1/sessions/${session}/checkpoints/${id}/${action}`, body);
  return { send, write, submit, eventsOf, typesOf, until, phaseOf, checkpointsOf, branch };
}
