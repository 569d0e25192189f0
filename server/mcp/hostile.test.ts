// Hostile MCP servers: false answers, floods, hangs, ends in mid-line, odd lists. Each leads to a typed error, and the sync continues.
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../clock.ts';
import { storeEngines } from '../testing/background.ts';
import { openMcpWorld, program, type McpWorld } from '../testing/mcp/world.ts';
import { callFailure } from '../testing/tool-deps.ts';

async function syncedWith(mode: string): Promise<McpWorld> {
  const [engine] = storeEngines;
  if (!engine) throw new Error('no store engine');
  const world = await openMcpWorld(await engine.open(systemClock));
  onTestFinished(() => world.close());
  const spec = { ...program('hostile', mode), protocol_version: '2025-11-25', reconnect: { max_attempts: 1 } };
  await world.apply({ kind: 'McpServer', name: 'bad', spec });
  await world.settle();
  return world;
}

describe('a call of a hostile server', () => {
  it.each([
    ['dies in mid-line', 'half', { code: 'execution_failed', reason: 'connection_lost' }],
    ['sends a line of 10 MB', 'huge', { code: 'execution_failed', reason: 'message_too_large' }],
    ['floods notifications', 'flood', { code: 'execution_failed', reason: 'flood' }],
    ['floods answers that nobody requested', 'answers', { code: 'execution_failed', reason: 'flood' }],
    ['floods empty lines', 'blank', { code: 'execution_failed', reason: 'flood' }],
    ['lies about the shape of its result', 'lies', { code: 'execution_failed', reason: 'protocol' }],
  ])('ends in a typed error when the server %s', async (_what, mode, expected) => {
    const world = await syncedWith(mode);
    expect(await callFailure(world.call('bad--work'))).toMatchObject(expected);
  });

  it('returns the first of two answers', async () => {
    const world = await syncedWith('twice');
    expect((await world.call('bad--work')).output).toBe('first');
    expect((await world.call('bad--work')).output).toBe('first');
  });

  it('skips lines that are not messages, and answers without a request', async () => {
    const world = await syncedWith('garbage');
    expect((await world.call('bad--work')).output).toBe('first');
    expect((await world.call('bad--work')).output).toBe('first');
  });

  it.each(['hang', 'silent-line'])('ends with its caller when the server does not answer (%s)', async (mode) => {
    const world = await syncedWith(mode);
    const caller = new AbortController();
    const pending = callFailure(world.call('bad--work', {}, caller.signal));
    caller.abort();
    expect(await pending).toMatchObject({ code: 'canceled' });
  });

  it('declines sampling', async () => {
    const world = await syncedWith('asks');
    expect((await world.call('bad--work')).output).toBe('declined -32601');
  });
});

describe('the list of a hostile server', () => {
  it('is in Error when two tools map to one name, which the error contains', async () => {
    const world = await syncedWith('clash');
    const status = await world.status('bad');
    expect(status).toMatchObject({ phase: 'Error', generatedTools: [] });
    expect(status['lastError']).toContain('"get/page" and "get_page"');
  });

  it('is imported but for names without letters or digits', async () => {
    const world = await syncedWith('odd');
    const status = await world.status('bad');
    expect(status).toMatchObject({ phase: 'Ready', generatedTools: ['bad--na-ve-tool', 'bad--plain'] });
    expect(status['lastError']).toContain('"???"');
  });

  it('stops no tool but the one whose schema refers to another place', async () => {
    const world = await syncedWith('outside');
    expect(await callFailure(world.call('bad--bad'))).toMatchObject({ code: 'runtime_policy_invalid', reason: 'invalid_tool' });
    expect((await world.call('bad--plain')).output).toBe('first');
  });

  it('stops only the tool whose schema refers to itself endlessly', async () => {
    const world = await syncedWith('loops');
    const deep: Record<string, unknown> = {};
    for (let level = 0, at = deep; level < 50; level += 1) at = at['child'] = {} as Record<string, unknown>;
    expect((await world.call('bad--tree', deep)).output).toBe('first');
    expect(await callFailure(world.call('bad--round', { a: 1 }))).toMatchObject({ code: 'runtime_policy_invalid', reason: 'invalid_tool' });
    expect((await world.call('bad--plain')).output).toBe('first');
  });

  it('is imported and removed in several transactions when it is long', async () => {
    const world = await syncedWith('plain');
    const changes: number[] = [];
    let before = (await world.store.changeBounds()).head;
    world.store.onCommit(({ head }) => {
      changes.push(head - before);
      before = head;
    });
    await world.apply({ kind: 'McpServer', name: 'long', spec: { ...program('hostile', 'long'), protocol_version: '2025-11-25' } });
    await world.settle();
    expect((await world.status('long'))['generatedTools']).toHaveLength(180);
    await world.remove('McpServer', 'long');
    await world.settle();
    expect(await world.toolNames()).toEqual(['bad--work']);
    expect(Math.max(...changes)).toBeLessThan(60);
  });

  it('is in Error when its pages never end', async () => {
    const world = await syncedWith('pages');
    expect(await world.status('bad')).toMatchObject({ phase: 'Error' });
  });
});

it('is in Error when it speaks a revision before 2025-03-26', async () => {
  const world = await syncedWith('plain');
  await world.apply({ kind: 'McpServer', name: 'old', spec: { ...program('hostile', 'old'), reconnect: { max_attempts: 1 } } });
  await world.settle();
  expect(await world.status('old')).toMatchObject({ phase: 'Error' });
});

it('sets a server to Error when its tool name is already taken', async () => {
  const world = await syncedWith('plain');
  const spec = { ...program('hostile', 'plain'), protocol_version: '2025-11-25' };
  await world.apply({ kind: 'Tool', name: 'other--work', spec: { type: 'http', endpoint: 'https://tool.example' } });
  await world.apply({ kind: 'McpServer', name: 'other', spec });
  await world.settle();
  expect((await world.status('other'))['lastError']).toContain('other--work');
});
