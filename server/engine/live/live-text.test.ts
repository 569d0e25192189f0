// Live text between workers and readers over a broadcast that may lose, delay and repeat messages.
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { LiveText } from '@svc/shared/api/runs';
import { BROADCAST_MAX_BYTES, type Broadcast } from '../../store/store.ts';
import { openEngine, putSystem, type EngineBundle } from '../../testing/engine.ts';
import { createManualClock } from '../../testing/manual-clock.ts';
import { LIVE_GATHER_MS, LIVE_INTEREST_MS, LIVE_TEXT_MAX_CHARS, LIVE_WHOLE_PAUSE_MS } from '../core/limits.ts';
import { createRunService } from '../runs/create-run-service.ts';
import { CallError } from '../ports.ts';
import { createTextFollowers } from './follow-text.ts';
import { createTextPublisher } from './publish-text.ts';

const TASK = 'uid-1';
const call = { request_id: 'req-1', step_id: 'a001.s0001', attempt: 1, step: 1, branch_id: 'b001', agent: 'writer' };

/** A bus of one process; `pass` says which messages arrive. */
function setup(pass: (message: Broadcast, count: number) => boolean = () => true) {
  const clock = createManualClock();
  const listeners = new Set<(message: Broadcast) => void>();
  const sent: Broadcast[] = [];
  const store = {
    broadcast(messages: readonly Broadcast[]) {
      for (const message of messages) {
        sent.push(message);
        if (pass(message, sent.length)) for (const listener of listeners) listener(message);
      }
    },
    onBroadcast(listener: (message: Broadcast) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const publisher = createTextPublisher({ store, clock });
  const followers = createTextFollowers({ store, clock });
  return { clock, sent, store, publisher, followers, texts: () => sent.filter(({ audience }) => audience === 'readers') };
}

/** Text of each call on a reader's screen. */
function watch(followers: ReturnType<typeof createTextFollowers>, task = TASK) {
  const ended = new AbortController();
  const items: LiveText[] = [];
  const shown = new Map<string, string>();
  const done = (async () => {
    for await (const batch of followers.follow(task, ended.signal)) {
      for (const item of batch) {
        items.push(item);
        shown.set(item.request_id, 'text' in item ? (shown.get(item.request_id) ?? '').slice(0, item.at) + item.text : '');
      }
    }
  })();
  const stop = async () => {
    ended.abort();
    await done;
  };
  return { items, shown, text: () => shown.get(call.request_id), stop };
}

describe('live text', () => {
  it('sends the first piece at once and batches the later ones', async () => {
    const { clock, publisher, followers, texts } = setup();
    const reader = watch(followers);
    await setImmediate();
    const text = publisher.begin(TASK, call);
    text.push('Once ');
    expect(texts()).toHaveLength(1);
    for (const piece of ['upon ', 'a ', 'time']) text.push(piece);
    expect(texts()).toHaveLength(1);
    clock.advance(LIVE_GATHER_MS);
    await setImmediate();
    expect(texts()).toHaveLength(2);
    expect(reader.items).toEqual([
      { ...call, at: 0, text: 'Once ' },
      { ...call, at: 5, text: 'upon a time' },
    ]);
    text.push('.');
    text.end('recorded');
    await setImmediate();
    expect(reader.text()).toBe('Once upon a time.');
    await reader.stop();
  });

  it('sends nothing while nobody follows the run', async () => {
    const { clock, publisher, sent } = setup();
    const text = publisher.begin(TASK, call);
    for (let n = 0; n < 100; n += 1) text.push('x');
    clock.advance(1_000);
    await setImmediate();
    text.end('recorded');
    publisher.begin(TASK, call).end('taken_back');
    expect(sent).toEqual([]);
  });

  it('sends a reader that joins in mid-call all earlier text', async () => {
    const { clock, publisher, followers } = setup();
    const text = publisher.begin(TASK, call);
    text.push('before ');
    const first = watch(followers);
    await setImmediate();
    expect(first.text()).toBe('before ');
    text.push('after');
    const second = watch(followers);
    clock.advance(LIVE_WHOLE_PAUSE_MS);
    await setImmediate();
    expect([first.text(), second.text()]).toEqual(['before after', 'before after']);
    await Promise.all([first.stop(), second.stop()]);
  });

  it('withdraws the text of a failed call and of an earlier sending', async () => {
    const { clock, publisher, followers } = setup();
    const reader = watch(followers);
    await setImmediate();
    const first = publisher.begin(TASK, call);
    first.push('one');
    first.end('taken_back');
    clock.advance(10);
    const second = publisher.begin(TASK, call);
    second.push('two');
    clock.advance(10);
    // Another worker sends the call again; later text of the lost worker is stale.
    const third = publisher.begin(TASK, call);
    third.push('three');
    second.end('taken_back');
    await setImmediate();
    expect(reader.items).toEqual([
      { ...call, at: 0, text: 'one' },
      { ...call, reset: 'taken_back' },
      { ...call, at: 0, text: 'two' },
      { ...call, reset: 'sent_again' },
      { ...call, at: 0, text: 'three' },
    ]);
    await reader.stop();
  });

  it('repeats the whole text after a message was lost', async () => {
    let lose = false;
    const { clock, publisher, followers } = setup(({ audience }) => audience === 'everybody' || !lose);
    const reader = watch(followers);
    await setImmediate();
    const text = publisher.begin(TASK, call);
    text.push('a');
    lose = true;
    clock.advance(LIVE_GATHER_MS);
    await setImmediate();
    text.push('b');
    lose = false;
    clock.advance(LIVE_GATHER_MS);
    await setImmediate();
    text.push('c');
    clock.advance(LIVE_WHOLE_PAUSE_MS);
    await setImmediate();
    expect(reader.text()).toBe('abc');
    await reader.stop();
  });

  it('stops for readers that left, and continues for the others', async () => {
    const { clock, publisher, followers, texts } = setup();
    const reader = watch(followers);
    await setImmediate();
    const text = publisher.begin(TASK, call);
    for (let n = 0; n < 12; n += 1) {
      clock.advance(LIVE_INTEREST_MS / 3);
      await setImmediate();
    }
    text.push('still here');
    expect(texts()).toHaveLength(1);
    await reader.stop();
    clock.advance(LIVE_INTEREST_MS + 1);
    await setImmediate();
    text.push('nobody');
    expect(texts()).toHaveLength(1);
  });

  it('drops a slow reader to the record and keeps its memory bounded', async () => {
    const { clock, publisher, followers } = setup();
    const ended = new AbortController();
    const slow = followers.follow(TASK, ended.signal);
    const first = slow.next();
    await setImmediate();
    for (let n = 0; n < 4; n += 1) {
      const text = publisher.begin(TASK, { ...call, request_id: `req-${n}` });
      text.push('x'.repeat(100 * 1024));
      clock.advance(LIVE_GATHER_MS);
      await setImmediate();
      text.push('y');
    }
    await first;
    const rest = (await slow.next()).value ?? [];
    expect(rest.reduce((sum, item) => sum + ('text' in item ? item.text.length : 0), 0)).toBeLessThan(LIVE_TEXT_MAX_CHARS);
    expect(rest.filter((item) => 'reset' in item && item.reset === 'behind').length).toBeGreaterThan(0);
    ended.abort();
    await slow.return();
  });

  it('ends the live text of a call that is too long', () => {
    const { clock, publisher, followers, texts } = setup();
    void followers.follow(TASK, new AbortController().signal).next();
    const text = publisher.begin(TASK, call);
    text.push('x');
    const before = texts().length;
    text.push('y'.repeat(LIVE_TEXT_MAX_CHARS));
    clock.advance(LIVE_GATHER_MS);
    text.end('recorded');
    expect(texts()).toHaveLength(before);
  });

  it('withdraws the text of a failed call that was too long', async () => {
    const { publisher, followers } = setup();
    const reader = watch(followers);
    await setImmediate();
    const text = publisher.begin(TASK, call);
    text.push('x');
    text.push('y'.repeat(LIVE_TEXT_MAX_CHARS));
    text.end('taken_back');
    await setImmediate();
    expect(reader.items).toEqual([
      { ...call, at: 0, text: 'x' },
      { ...call, reset: 'taken_back' },
    ]);
    await reader.stop();
  });

  it('fits every piece of any text into a broadcast, whole characters only', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'binary', maxLength: 9_000 }), { maxLength: 4 }), async (pieces) => {
        const { clock, publisher, followers, texts } = setup();
        const reader = watch(followers);
        await setImmediate();
        const text = publisher.begin(TASK, call);
        for (const piece of pieces) {
          text.push(piece);
          clock.advance(LIVE_GATHER_MS);
          await setImmediate();
        }
        text.end('recorded');
        await setImmediate();
        expect(reader.text() ?? '').toBe(pieces.join(''));
        expect(Math.max(0, ...texts().map(({ text: each }) => Buffer.byteLength(each)))).toBeLessThanOrEqual(BROADCAST_MAX_BYTES);
        await reader.stop();
      }),
      { numRuns: 30 },
    );
  });

  it('ignores what another program sends', async () => {
    const { store, followers } = setup();
    const reader = watch(followers);
    await setImmediate();
    for (const text of ['', '{', '[]', '{"task":"uid-1"}', '{"task":"uid-1","sentAt":1,"call":{},"at":0,"text":"x"}']) {
      store.broadcast([
        { audience: 'readers', text },
        { audience: 'everybody', text },
      ]);
    }
    await setImmediate();
    expect(reader.items).toEqual([]);
    await reader.stop();
  });
});

describe('a run', () => {
  const engines: EngineBundle[] = [];
  afterEach(async () => {
    for (const engine of engines.splice(0)) await engine.close();
  });

  it('shows followers the text of its model before the call has ended, and stores none of it', async () => {
    let go: () => void = () => undefined;
    const waits = new Promise<void>((resolve) => (go = resolve));
    const engine = await openEngine({
      async model({ step: _ }, _signal, { onDelta }) {
        onDelta?.('Once upon');
        await waits;
        onDelta?.(' a time');
        return { content: 'Once upon a time' };
      },
    });
    engines.push(engine);
    engine.worker.start();
    const runs = createRunService({ store: engine.store, clock: { ...createManualClock() } } as unknown as Parameters<
      typeof createRunService
    >[0]);
    const context = { identity: { name: 'ann', role: 'reader', method: 'bearer' }, requestId: 'r' } as unknown as Parameters<
      typeof runs.followText
    >[0];
    await putSystem(engine, { writer: {} });
    await engine.put('Task', 'one', { system: 'system', input: { topic: 'sea' } });
    const ended = new AbortController();
    const seen: LiveText[] = [];
    for await (const batch of await runs.followText(context, { namespace: 'default', name: 'one' }, ended.signal)) {
      seen.push(...batch);
      if (seen.length === 1) go();
      if (seen.map((item) => ('text' in item ? item.text : '')).join('') === 'Once upon a time') break;
    }
    expect(seen[0]).toEqual({
      request_id: expect.stringMatching(/^req-/),
      step_id: 'a001.s0001',
      attempt: 1,
      step: 1,
      branch_id: 'b001',
      agent: 'writer',
      at: 0,
      text: 'Once upon',
    });
    await engine.until('one');
    for await (const _ of await runs.followText(context, { namespace: 'default', name: 'one' }, ended.signal))
      expect.fail('text of a run that has ended');
  });

  it('withdraws the text of a call that fails', async () => {
    let calls = 0;
    const engine = await openEngine({
      model(_request, _signal, { onDelta }) {
        calls += 1;
        onDelta?.(`try ${calls}`);
        if (calls === 1) throw new CallError('execution_failed', 'broken stream', { retryable: true });
        return { content: 'try 2' };
      },
    });
    engines.push(engine);
    const { clock } = { clock: createManualClock() };
    const followers = createTextFollowers({ store: engine.store, clock });
    await putSystem(engine, { writer: {} });
    const task = await engine.put('Task', 'one', { system: 'system', message_retry: { max_attempts: 2, backoff: '0s' } });
    const reader = watch(followers, task.metadata.uid);
    engine.worker.start();
    await engine.until('one');
    await setImmediate();
    const told = reader.items.map((item) => ('text' in item ? item.text : item.reset));
    expect(told).toEqual(['try 1', 'taken_back', 'try 2']);
    await reader.stop();
  });
});
