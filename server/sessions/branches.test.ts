// Branches of a conversation after any sequence of turns, rewinds and forks: model, readers and lists agree. On both databases.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Turn } from '@svc/shared/api/sessions';
import { Conversation } from '@svc/shared/sessions/conversation';
import { databaseServers } from '../testing/database-servers.ts';
import { json, startLoopbackServer, type Answer, type LoopbackServer } from '../testing/loopback-server.ts';
import type { TestServer } from '../testing/running-server.ts';
import { sessionClient, type Wire } from '../testing/session-client.ts';

interface ModelMessage {
  readonly role: string;
  readonly content: string;
}

/** Calls the tool once for a message with `look`, refuses one with `fail`, and names the message in its answer. */
const answer: Answer = (response, request) => {
  const { messages } = JSON.parse(request.body) as { messages: ModelMessage[] };
  const asked = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  if (asked.includes('fail')) return json({ error: { message: 'refused' } }, 400)(response, request);
  const looks = asked.includes('look') && messages.at(-1)?.role === 'user';
  const call = { id: 'call-1', type: 'function', function: { name: 'look', arguments: '{}' } };
  const message = looks
    ? { role: 'assistant', content: null, tool_calls: [call] }
    : { role: 'assistant', content: `answer to ${messageOf(asked)}` };
  const choice = { index: 0, message, finish_reason: looks ? 'tool_calls' : 'stop' };
  return json({ choices: [choice], usage: { prompt_tokens: 1, completion_tokens: 1 } })(response, request);
};

/** Message of the person in the input of a turn. */
const messageOf = (input: string): string => /^message: (.*)$/m.exec(input)?.[1] ?? input;

describe.each(databaseServers('branches of conversations', ['--allow-private-tool-endpoints']))('on $name', ({ start }) => {
  let server: TestServer;
  let model: LoopbackServer;
  const { send, write, eventsOf, checkpointsOf, branch } = sessionClient(() => server.url);
  const turnsOf = async (session: string): Promise<Wire[]> => (await send('GET', `/v1/sessions/${session}/turns`)).body.items;

  beforeAll(async () => {
    [server, model] = await Promise.all([start(), startLoopbackServer(answer)]);
    const base_url = `${model.url}/v1`;
    const options = { stream: 'false' };
    await write('model-endpoints', 'gateway', {
      provider: 'gateway-a-compatible',
      base_url,
      default_model: 'm',
      allowPrivate: true,
      options,
    });
    await write('tools', 'look', { type: 'http', endpoint: 'http://127.0.0.1:9/never', risk_level: 'low', description: 'looks' });
    await write('agents', 'talker', { prompt: 'You talk.', model_ref: 'gateway', tools: ['look'] });
    await write('agent-systems', 'talk', { agents: ['talker'] });
  }, 60_000);
  afterAll(async () => {
    await server?.stop();
    await model?.close();
  });

  const say = async (session: string, content: string, interrupt = false) => {
    const { status } = await send(
      'POST',
      `/v1/sessions/${session}/turns`,
      { content, interrupt },
      { 'idempotency-key': content.replaceAll(/\s/gu, '-') },
    );
    expect(status).toBe(202);
  };

  /** Waits until nothing runs, and nothing waits but for a resume. */
  const settle = (session: string) =>
    expect
      .poll(async () => {
        const { phase, activeTurnID, queuedTurns } = (await send('GET', `/v1/sessions/${session}`)).body.status;
        return activeTurnID === undefined && (phase === 'Paused' || phase === 'Failed' || queuedTurns === 0);
      })
      .toBe(true);

  /** Turns of the conversation as a client folds them from the events. */
  async function folded(session: string) {
    const conversation = new Conversation();
    for (const event of await eventsOf(session)) conversation.apply(event);
    if (conversation.origin) conversation.addHistory((await turnsOf(session)) as unknown as Turn[]);
    return conversation.turns.filter(({ undone, phase }) => !undone && phase === 'Succeeded');
  }

  /** Messages before the newest one, as the model got them for it. */
  function sentFor(content: string): ModelMessage[] {
    const requests = model.seen.map(({ body }) => (JSON.parse(body) as { messages: ModelMessage[] }).messages);
    const messages = requests.find((each) => messageOf(each.findLast(({ role }) => role === 'user')?.content ?? '') === content) ?? [];
    return messages.filter(({ role }) => role === 'user' || role === 'assistant').slice(0, -1);
  }

  async function expectOneConversation(session: string): Promise<void> {
    await settle(session);
    const last = `last of ${session}`;
    await say(session, last);
    // A failed turn holds back those that wait.
    do {
      await send('POST', `/v1/sessions/${session}/resume`);
      await settle(session);
    } while ((await turnsOf(session)).some(({ phase }) => phase === 'Queued'));
    const turns = await folded(session);
    const before = turns.slice(
      0,
      turns.findIndex(({ content }) => content === last),
    );
    const seen = before.flatMap(({ content, text }) => [
      { role: 'user', content },
      { role: 'assistant', content: text },
    ]);
    expect(sentFor(last)).toEqual(seen);
    const listed = (await turnsOf(session)).filter(({ phase }) => phase === 'Succeeded').map(({ id }) => String(id));
    expect(listed.toSorted()).toEqual(turns.map(({ id }) => id).toSorted());
    const { completedTurns } = (await send('GET', `/v1/sessions/${session}`)).body.status;
    expect(completedTurns).toBe(turns.length);
  }

  test('the list shows the newest message of the present branch', async () => {
    const listed = async (session: string) =>
      (await send('GET', '/v1/sessions')).body.find(({ metadata }: Wire) => (metadata as Wire)['name'] === session)?.status.lastMessage;
    await write('sessions', 'newest', { system: 'talk' });
    for (const content of ['one', 'two\nwith a second line']) {
      await say('newest', content);
      await settle('newest');
    }
    expect(await listed('newest')).toBe('two');
    const [, first] = (await checkpointsOf('newest')).map(({ id }) => String(id));
    expect((await branch('newest', first!, 'fork', { name: 'newest-fork' })).status).toBe(201);
    expect((await branch('newest', first!, 'rewind', {})).status).toBe(200);
    expect([await listed('newest'), await listed('newest-fork')]).toEqual(['one', 'one']);
  });

  test('a rewind to a checkpoint of an undone turn restores its branch for the model, the events and the list', async () => {
    await write('sessions', 'branches', { system: 'talk' });
    for (const content of ['one', 'two', 'three']) {
      await say('branches', content);
      await settle('branches');
    }
    const [third, , first] = (await checkpointsOf('branches')).map(({ id }) => String(id));
    expect((await branch('branches', first!, 'rewind', { resume: true })).status).toBe(200);
    await say('branches', 'four');
    await settle('branches');
    expect((await folded('branches')).map(({ content }) => content)).toEqual(['one', 'four']);
    expect((await branch('branches', third!, 'rewind', {})).status).toBe(200);
    expect((await folded('branches')).map(({ content }) => content)).toEqual(['one', 'two', 'three']);
    expect((await turnsOf('branches')).map(({ phase }) => phase)).toEqual(['Succeeded', 'Succeeded', 'Succeeded', 'Cancelled']);
    await expectOneConversation('branches');
  });

  test('a fork of an undone turn lists its history as succeeded', async () => {
    await write('sessions', 'undone', { system: 'talk' });
    for (const content of ['one', 'two']) {
      await say('undone', content);
      await settle('undone');
    }
    const [second, first] = (await checkpointsOf('undone')).map(({ id }) => String(id));
    await branch('undone', first!, 'rewind', {});
    expect((await branch('undone', second!, 'fork', { name: 'undone-fork' })).status).toBe(201);
    expect((await turnsOf('undone-fork')).map(({ phase }) => phase)).toEqual(['Succeeded', 'Succeeded']);
    await expectOneConversation('undone-fork');
  });

  test('a fork lists its turns in the order of the conversation, and numbers the next one after them', async () => {
    await write('sessions', 'order', { system: 'talk' });
    await send('POST', '/v1/sessions/order/pause');
    await say('order', 'first');
    await say('order', 'interrupting', true);
    await send('POST', '/v1/sessions/order/resume');
    await settle('order');
    expect((await folded('order')).map(({ content }) => content)).toEqual(['interrupting', 'first']);
    const [newest] = await checkpointsOf('order');
    expect((await branch('order', String(newest?.['id']), 'fork', { name: 'order-fork', resume: true })).status).toBe(201);
    await say('order-fork', 'own');
    await settle('order-fork');
    expect((await turnsOf('order-fork')).map(({ content, queue_sequence: n }) => [n, content])).toEqual([
      [1, 'interrupting'],
      [2, 'first'],
      [3, 'own'],
    ]);
  });

  test('model, events and list agree after any sequence of turns, rewinds and forks', { timeout: 120_000 }, async () => {
    let round = 0;
    const request = fc.record({
      action: fc.constantFrom(...['say', 'say', 'look', 'fail', 'say!', 'rewind', 'rewind', 'rewind, resume', 'fork', 'pause', 'resume']),
      pick: fc.nat(9),
      waits: fc.boolean(),
    });
    const check = async (requests: readonly { action: string; pick: number; waits: boolean }[]) => {
      round += 1;
      let session = `any-${round}`;
      await write('sessions', session, { system: 'talk' });
      const made = [session];
      for (const [index, { action, pick, waits }] of requests.entries()) {
        const content = `${action} ${session} ${index}`;
        if (waits) await settle(session);
        if (['say', 'look', 'fail', 'say!'].includes(action)) await say(session, content, action === 'say!');
        else if (action === 'pause' || action === 'resume') await send('POST', `/v1/sessions/${session}/${action}`);
        else {
          const checkpoints = await checkpointsOf(session);
          const id = checkpoints[pick % Math.max(1, checkpoints.length)]?.['id'] as string | undefined;
          if (id === undefined) continue;
          const name = `any-${round}-${index}`;
          const { status, body } =
            action === 'fork'
              ? await branch(session, id, 'fork', { name, resume: true })
              : await branch(session, id, 'rewind', { resume: action.endsWith('resume') });
          expect(status, JSON.stringify(body)).toBeLessThan(300);
          if (action !== 'fork') continue;
          session = name;
          made.push(name);
        }
      }
      for (const each of made) await expectOneConversation(each);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 3, maxLength: 16 }), (requests) => check(requests)),
      { numRuns: 10, endOnFailure: true },
    );
  });
});
