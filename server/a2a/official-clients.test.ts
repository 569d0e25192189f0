// The official JavaScript clients of A2A 0.3 and 1.0, unmodified, against a whole server on each database.
import { JsonRpcTransport } from 'a2a-sdk-03/client';
import { AgentCard, Role, type Message } from 'a2a-sdk-10';
import { ClientFactory, JsonRpcTransportFactory, type Client } from 'a2a-sdk-10/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock, type Clock } from '../clock.ts';
import { createAgents, tokenOf, tokens, type Agents } from '../testing/a2a/agents.ts';
import { databaseServers } from '../testing/database-servers.ts';
import type { TestServer } from '../testing/running-server.ts';

let server: TestServer;
let agents: Agents;

const START = Date.now();
/** Slow, so that runs on a busy machine end within the second for which a stream holds its first event. Sleeps keep their length. */
const slowClock: Clock = { now: () => START + Math.floor((Date.now() - START) / 20), sleep: systemClock.sleep };

const fetchAs =
  (token: Parameters<typeof tokenOf>[0]): typeof fetch =>
  async (url, init) =>
    fetch(url, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), authorization: `Bearer ${tokenOf(token)}` } });

let ids = 0;
const nextId = (prefix = 'message') => `${prefix}-${(ids += 1)}`;

/** A stream whose first item has arrived, with a promise of all its items. */
async function opened<Item>(stream: AsyncIterable<Item>): Promise<{ readonly all: Promise<Item[]> }> {
  const iterator = stream[Symbol.asyncIterator]();
  const first = (await iterator.next()).value as Item;
  const rest = collect({ [Symbol.asyncIterator]: () => iterator });
  return { all: rest.then((items) => [first, ...items]) };
}

async function collect<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

describe.each(databaseServers('the official clients of A2A', ['--allow-private-tool-endpoints'], { SVC_API_TOKENS: tokens }))(
  'on $name',
  ({ start }) => {
    beforeAll(async () => {
      server = await start({ clock: slowClock });
      agents = await createAgents(server.url);
    }, 60_000);
    afterAll(() => server.stop());

    describe('the client of A2A 0.3', () => {
      const transport = (system: string, token: Parameters<typeof tokenOf>[0] = 'writer') =>
        new JsonRpcTransport({ endpoint: agents.endpoint(system), fetchImpl: fetchAs(token) });
      const message = (text: string, more: object = {}) => ({
        kind: 'message' as const,
        messageId: nextId(),
        role: 'user' as const,
        parts: [{ kind: 'text' as const, text }],
        ...more,
      });

      test('sends a message and reads the task', async () => {
        const client = transport('echo');
        const sent: any = await client.sendMessage({ message: message('hello') });
        expect(sent).toMatchObject({ kind: 'task', status: { state: 'completed' }, contextId: expect.any(String) });
        expect(sent.artifacts[0]).toMatchObject({
          artifactId: 'output',
          parts: [{ kind: 'text', text: expect.stringContaining('hello') }],
        });
        expect(await client.getTask({ id: sent.id, historyLength: 1 })).toEqual(sent);
        expect(((await client.getTask({ id: sent.id, historyLength: 0 })) as any).history).toBeUndefined();
      });

      test('continues a context as one conversation', async () => {
        const client = transport('echo');
        const first: any = await client.sendMessage({ message: message('my name is Ada') });
        const { contextId } = first;
        const second: any = await client.sendMessage({ message: message('who am I', { contextId }) });
        expect(second.contextId).toBe(contextId);
        expect(second.id).not.toBe(first.id);
        const [session] = (await agents.get(`/v1/sessions?limit=1000`)).items.filter(
          ({ metadata }: any) => metadata.annotations?.['svc.dev/a2a-context'] === contextId,
        );
        expect(session).toMatchObject({ spec: { system: 'echo' }, status: { completedTurns: 2, phase: 'WaitingInput' } });
        expect(session.metadata.annotations['svc.dev/a2a-caller']).toBe('writer');
      });

      test('gives a caller with the same context id a context of its own', async () => {
        const first: any = await transport('echo').sendMessage({ message: message('mine', { contextId: 'shared-context' }) });
        const second: any = await transport('echo', 'scoped').sendMessage({ message: message('theirs', { contextId: 'shared-context' }) });
        expect(second.contextId).toBe(first.contextId);
        await expect(transport('echo', 'scoped').getTask({ id: first.id })).rejects.toThrow();
        expect((await agents.call('echo', 'tasks/get', { id: first.id }, { token: 'scoped' })).error.code).toBe(-32001);
      });

      test('answers without waiting on request', async () => {
        const client = transport('slow');
        const sent: any = await client.sendMessage({ message: message('go'), configuration: { blocking: false } });
        expect(['submitted', 'working']).toContain(sent.status.state);
        await expect.poll(async () => ((await client.getTask({ id: sent.id })) as any).status.state).toBe('completed');
      });

      test('streams the task, its text and its end', async () => {
        let events: any[] = [];
        const piecesIn = (all: any[]) => all.filter(({ kind }) => kind === 'artifact-update');
        // A reader on a busy machine may get all words at once.
        await expect
          .poll(async () => piecesIn((events = await collect(transport('slow').sendMessageStream({ message: message('go') })))).length)
          .toBeGreaterThan(1);
        expect(events[0]).toMatchObject({ kind: 'task', status: { state: 'working' } });
        expect(events.at(-1)).toMatchObject({ kind: 'status-update', final: true, status: { state: 'completed' } });
        const pieces = piecesIn(events);
        expect(pieces.map(({ artifact }) => artifact.parts[0].text).join('')).toBe('one two three four five six seven eight nine ten');
        expect(pieces.map(({ append }) => append)).toEqual(pieces.map((_, index) => index > 0));
      });

      test('follows a running task again', async () => {
        const client = transport('hangs');
        const sent: any = await client.sendMessage({ message: message('go'), configuration: { blocking: false } });
        const followed = await opened(client.resubscribeTask({ id: sent.id }));
        await client.cancelTask({ id: sent.id });
        const events: any[] = await followed.all;
        expect(events[0]).toMatchObject({ kind: 'task', id: sent.id });
        expect(events.at(-1)).toMatchObject({ kind: 'status-update', final: true });
      });

      test('cancels a running task', async () => {
        const client = transport('hangs');
        const sent: any = await client.sendMessage({ message: message('go'), configuration: { blocking: false } });
        expect(await client.cancelTask({ id: sent.id })).toMatchObject({ id: sent.id, status: { state: 'canceled' } });
        await expect(client.cancelTask({ id: sent.id })).rejects.toMatchObject({ name: 'TaskNotCancelableError' });
        await expect
          .poll(
            async () =>
              (await agents.get(`/v1/tasks?labelSelector=svc.dev/door=a2a&limit=1000`)).items.filter(
                ({ spec, status }: any) => spec.input.a2a_task_id === sent.id && status.reason === 'cancelled',
              ).length,
          )
          .toBe(1);
      });

      test('answers parts and messages literally', async () => {
        const parts: any = await transport('parts').sendMessage({ message: message('go') });
        expect(parts.artifacts[0].parts).toMatchObject([
          { kind: 'text', text: 'literal' },
          { kind: 'file', file: { name: 'hi.txt', mimeType: 'text/plain', bytes: 'aGk=' } },
          { kind: 'file', file: { mimeType: 'text/plain', uri: 'https://example.com/x' } },
        ]);
        expect(await transport('reply').sendMessage({ message: message('go') })).toMatchObject({
          kind: 'message',
          role: 'agent',
          parts: [{ kind: 'text', text: 'a direct answer' }],
        });
        expect(await collect(transport('reply').sendMessageStream({ message: message('go') }))).toMatchObject([{ kind: 'message' }]);
      });

      test('a decision in a data part decides the approval', async () => {
        const client = transport('asker');
        const asked: any = await client.sendMessage({ message: message('deploy') });
        expect(asked.status.state).toBe('input-required');
        const said: any = await client.sendMessage({ message: message('please hurry', { taskId: asked.id }) });
        expect(said).toMatchObject({ id: asked.id, status: { state: 'input-required' } });
        expect(said.history.map(({ parts }: any) => parts[0].text)).toEqual(['deploy', 'please hurry']);
        const decision = { kind: 'data' as const, data: { decision: 'approve', comment: 'go on' } };
        const done: any = await client.sendMessage({ message: { ...message('', { taskId: asked.id }), parts: [decision] } });
        expect(done).toMatchObject({ id: asked.id, status: { state: 'completed' } });
      });

      test('a stream ends with the question of an approval, and a stream of the decision with the end', async () => {
        const client = transport('asker');
        const events: any[] = await collect(client.sendMessageStream({ message: message('deploy') }));
        expect(events[0]).toMatchObject({ kind: 'task', status: { state: 'working' } });
        expect(events.at(-1)).toMatchObject({ kind: 'status-update', final: true, status: { state: 'input-required' } });
        const { id } = events[0];
        const joined = await opened(client.resubscribeTask({ id }));
        const noted: any[] = await collect(client.sendMessageStream({ message: message('please hurry', { taskId: id }) }));
        expect(noted.at(-1)).toMatchObject({ final: true, status: { state: 'input-required' } });
        const decision = { kind: 'data' as const, data: { decision: 'approve' } };
        const decided: any[] = await collect(client.sendMessageStream({ message: { ...message('', { taskId: id }), parts: [decision] } }));
        expect(decided.at(-1)).toMatchObject({ final: true, status: { state: 'completed' } });
        const followed: any[] = await joined.all;
        expect(followed[0]).toMatchObject({ kind: 'task', status: { state: 'input-required' } });
        expect(followed.at(-1)).toMatchObject({ final: true, status: { state: 'completed' } });
      });

      test('a decision of a caller whose role may not decide changes nothing', async () => {
        const client = transport('asker', 'scoped');
        const asked: any = await client.sendMessage({ message: message('deploy') });
        const decision = { kind: 'data' as const, data: { decision: 'approve' } };
        const said: any = await client.sendMessage({ message: { ...message('', { taskId: asked.id }), parts: [decision] } });
        expect(said).toMatchObject({ id: asked.id, status: { state: 'input-required' } });
        expect(await client.cancelTask({ id: asked.id })).toMatchObject({ status: { state: 'canceled' } });
      });

      test('gets the errors of the protocol', async () => {
        const client = transport('echo');
        await expect(client.getTask({ id: 'nothing' })).rejects.toMatchObject({ name: 'TaskNotFoundError' });
        const file = { kind: 'file' as const, file: { mimeType: 'application/x-unknown', bytes: 'AA==' } };
        await expect(client.sendMessage({ message: { ...message(''), parts: [file] } })).rejects.toMatchObject({
          name: 'ContentTypeNotSupportedError',
        });
        const sent: any = await client.sendMessage({ message: message('x') });
        await expect(client.sendMessage({ message: message('more', { taskId: sent.id }) })).rejects.toMatchObject({
          name: 'UnsupportedOperationError',
        });
        await expect(client.sendMessage({ message: message('more', { taskId: sent.id, contextId: 'another' }) })).rejects.toThrow();
        await expect(collect(client.resubscribeTask({ id: sent.id }))).rejects.toThrow();
      });
    });

    describe('the client of A2A 1.0', () => {
      const factory = new ClientFactory({ transports: [new JsonRpcTransportFactory({ fetchImpl: fetchAs('writer') })] });
      const connect = (system: string): Promise<Client> =>
        factory.createFromAgentCard(
          AgentCard.fromJSON({
            ...{ name: system, description: system, version: '1', capabilities: { streaming: true }, skills: [] },
            supportedInterfaces: [{ url: agents.endpoint(system), protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
          }),
        );
      const message = (text: string, more: Partial<Message> = {}): Message => ({
        messageId: nextId(),
        contextId: '',
        taskId: '',
        role: Role.ROLE_USER,
        parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }],
        metadata: undefined,
        extensions: [],
        referenceTaskIds: [],
        ...more,
      });
      const request = (said: Message, returnImmediately = false) => ({
        tenant: '',
        message: said,
        metadata: undefined,
        configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately },
      });

      test('sends a message, reads the task and lists it', async () => {
        const client = await connect('echo');
        const sent: any = await client.sendMessage(request(message('hello')));
        const task = sent.task ?? sent.payload?.value ?? sent;
        expect(task).toMatchObject({ id: expect.any(String), contextId: expect.any(String) });
        const read = await client.getTask({ tenant: '', id: task.id });
        expect(read.artifacts[0]!.parts[0]!.content).toMatchObject({ $case: 'text', value: expect.stringContaining('hello') });
        const list = await client.listTasks({
          ...{ tenant: '', contextId: task.contextId, status: 0, pageToken: '', statusTimestampAfter: undefined },
        });
        expect(list).toMatchObject({ totalSize: 1, nextPageToken: '', tasks: [{ id: task.id, artifacts: [] }] });
      });

      test('streams the task, its text and its end', async () => {
        const client = await connect('slow');
        const events = (await collect(client.sendMessageStream(request(message('go'))))).map(({ payload }) => payload!);
        expect(events.map(({ $case }) => $case).filter((kind, index, all) => kind !== all[index - 1])).toEqual([
          'task',
          'artifactUpdate',
          'statusUpdate',
        ]);
      });

      test('streams one message for a direct answer', async () => {
        const client = await connect('reply');
        const events = await collect(client.sendMessageStream(request(message('go'))));
        expect(events.map(({ payload }) => payload?.$case)).toEqual(['message']);
      });

      test('ends a stream with the question of an approval', async () => {
        const client = await connect('asker');
        const events: any[] = await collect(client.sendMessageStream(request(message('deploy'))));
        expect(events[0].payload).toMatchObject({ $case: 'task', value: { status: { state: 2 } } });
        expect(events.at(-1).payload).toMatchObject({ $case: 'statusUpdate', value: { status: { state: 6 } } });
      });

      test('subscribes to a running task from several places alike', async () => {
        const client = await connect('hangs');
        const sent: any = await client.sendMessage(request(message('go'), true));
        const id = (sent.task ?? sent.payload?.value ?? sent).id as string;
        const streams = await Promise.all([0, 1].map(() => opened(client.resubscribeTask({ tenant: '', id }))));
        await client.cancelTask({ tenant: '', id, metadata: undefined });
        const [one, two] = await Promise.all(streams.map(({ all }) => all));
        expect(one!.at(-1)).toEqual(two!.at(-1));
        expect(one!.at(-1)!.payload!.$case).toBe('statusUpdate');
      });

      test('cancels a task that waits for a decision', async () => {
        const client = await connect('asker');
        const sent: any = await client.sendMessage(request(message('deploy')));
        const { id } = sent.task ?? sent.payload?.value ?? sent;
        expect((await client.cancelTask({ tenant: '', id, metadata: undefined })).status!.state).toBe(5);
        await expect(client.cancelTask({ tenant: '', id, metadata: undefined })).rejects.toThrow();
        await expect(client.getTask({ tenant: '', id: 'nothing' })).rejects.toThrow();
      });
    });

    describe('the wire format of A2A 1.0', () => {
      const call = (system: string, method: string, params: unknown, headers = { 'A2A-Version': '1.0' }) =>
        agents.call(system, method, params, { headers });
      const said = (text: string, more: object = {}) => ({
        message: { messageId: nextId(), role: 'ROLE_USER', parts: [{ text }], ...more },
      });

      test('writes states, roles and parts in the form of ProtoJSON', async () => {
        const { result } = await call('echo', 'SendMessage', said('hello'));
        expect(result.task).toMatchObject({
          status: { state: 'TASK_STATE_COMPLETED', timestamp: expect.stringMatching(/Z$/) },
          history: [{ role: 'ROLE_USER', parts: [{ text: 'hello' }] }],
          artifacts: [{ artifactId: 'output', parts: [{ text: expect.any(String) }] }],
        });
        expect(JSON.stringify(result)).not.toMatch(/"kind"|"type"/);
      });

      test('names the reason of an error in an ErrorInfo', async () => {
        const { error } = await call('echo', 'GetTask', { id: 'nothing' });
        expect(error).toMatchObject({
          code: -32001,
          data: [
            {
              '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
              reason: 'TASK_NOT_FOUND',
              domain: 'a2a-protocol.org',
              metadata: { taskId: 'nothing' },
            },
          ],
        });
      });

      test.each(['99.0', '0.2', 'x', '1.0, 99.0'])('refuses the version %s', async (version) => {
        expect(await call('echo', 'SendMessage', said('x'), { 'A2A-Version': version })).toMatchObject({
          httpStatus: 200,
          error: { code: -32009 },
        });
      });

      test('reads the version from the address where no header has it', async () => {
        const path = (version: string) => `/v1/agent-systems/echo/a2a?A2A-Version=${version}`;
        const send = (version: string) => agents.call('echo', 'SendMessage', said('x'), { path: path(version) });
        expect(await send('9.0')).toMatchObject({ error: { code: -32009 } });
        expect(await send('1.0')).toHaveProperty('result');
      });

      test.each(['0.3', '1.0', '1.0.1'])('accepts the version %s', async (version) => {
        expect(await call('echo', 'SendMessage', said('x'), { 'A2A-Version': version })).toHaveProperty('result');
      });

      test.each([
        ['all tasks', 'paged', {}],
        ['tasks of a state', 'paged-by-state', { status: 'TASK_STATE_COMPLETED' }],
      ])('pages lists of %s by a cursor, the last changed first, with their number', async (_title, contextId, filter) => {
        const tasks: string[] = [];
        for (let n = 0; n < 5; n += 1) {
          tasks.unshift((await call('echo', 'SendMessage', said(`turn ${n}`, { contextId }))).result.task.id);
          // Tasks that change in one millisecond have no order.
          const ended = slowClock.now();
          await expect.poll(slowClock.now, { interval: 5 }).toBeGreaterThan(ended);
        }
        const pages: any[] = [];
        let pageToken = '';
        do {
          const { result } = await call('echo', 'ListTasks', { contextId, ...filter, pageSize: 2, pageToken });
          pages.push(result);
          pageToken = result.nextPageToken;
        } while (pageToken !== '');
        expect(pages.flatMap((page) => page.tasks.map(({ id }: any) => id))).toEqual(tasks);
        expect(pages.map(({ totalSize, pageSize }) => [totalSize, pageSize])).toEqual(pages.map(() => [5, 2]));
        expect(pages[0].tasks[0]).not.toHaveProperty('artifacts');
        const { result } = await call('echo', 'ListTasks', { contextId, includeArtifacts: true, ...filter });
        expect(result.tasks[0]).toHaveProperty('artifacts');
        expect((await call('echo', 'ListTasks', { contextId, status: 'TASK_STATE_FAILED' })).result).toMatchObject({
          tasks: [],
          totalSize: 0,
        });
        expect((await agents.call('echo', 'ListTasks', { contextId }, { token: 'scoped' })).result.tasks).toEqual([]);
      });

      test.each([
        [{ pageSize: 0 }],
        [{ pageSize: 101 }],
        [{ pageToken: '../x' }],
        [{ status: 'nothing' }],
        [{ historyLength: -1 }],
        [{ statusTimestampAfter: 'yesterday' }],
      ])('refuses a list with %j', async (params) => {
        expect(await call('echo', 'ListTasks', params)).toMatchObject({ error: { code: -32602 } });
      });

      test('has no configuration for an unknown task, and no extended card', async () => {
        const unknown = { taskId: 'x', url: 'https://example.com' };
        expect((await call('echo', 'CreateTaskPushNotificationConfig', unknown)).error.code).toBe(-32001);
        expect((await call('echo', 'GetExtendedAgentCard', {})).error.code).toBe(-32004);
        expect((await agents.call('echo', 'agent/getAuthenticatedExtendedCard', {})).error.code).toBe(-32007);
      });

      test('missing fields are invalid params', async () => {
        for (const params of [{}, { message: {} }, { message: { role: 'ROLE_USER', parts: [{ text: 'x' }] } }])
          expect(await call('echo', 'SendMessage', params)).toMatchObject({ error: { code: -32602 } });
        expect(await call('echo', 'GetTask', {})).toMatchObject({ error: { code: -32602 } });
      });
    });
  },
);
