// Stream and cache together: no change is lost around an answer, and a failed stream restarts.
import type { WatchItem } from '@svc/shared/api/watch';
import type { Resource } from '@svc/shared/resource';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { connection } from './connection.ts';
import type { StreamInput, StreamListener } from './permanent-stream.ts';
import { startLive } from './live-data.ts';
import { problemOf } from './problem.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const KEY = [['resources', 'list'], { input: { kind: 'Tool', namespace: 'default', limit: 10 }, type: 'query' }] as const;

function tool(name: string, version: string): Resource {
  const metadata = { namespace: 'default', name, uid: `uid-${name}`, resourceVersion: version, labels: {}, annotations: {} };
  return { kind: 'Tool', metadata, spec: {}, status: {} } as unknown as Resource;
}

function change(type: WatchItem['type'], name: string, version: string): WatchItem {
  return { type, kind: 'Tool', namespace: 'default', name, resource: tool(name, version) } as unknown as WatchItem;
}

function setup(position?: string) {
  const queryClient = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retry: false } } });
  const answers: ((items: readonly Resource[]) => void)[] = [];
  const ask = () => new Promise((resolve) => answers.push((items) => resolve({ items })));
  const options = { queryKey: KEY, queryFn: ask };
  const opened: { readonly input: StreamInput; readonly listener: StreamListener }[] = [];
  const session = startLive(queryClient, { namespace: 'default', position }, (input, listener) => {
    opened.push({ input, listener });
    return { unsubscribe: () => undefined };
  });
  const show = () => new QueryObserver(queryClient, options).subscribe(() => undefined);
  const names = () => queryClient.getQueryData<{ items: Resource[] }>(KEY)?.items.map(({ metadata }) => metadata.name);
  return { answers, opened, session, show, names, queryClient };
}

/** Longer than the delay of changes. */
const flushed = () => vi.advanceTimersByTimeAsync(150);

test('an answer read before a change and received after it does not revert the change', async () => {
  const { answers, opened, show, names, queryClient } = setup();
  opened[0]?.listener.onData({ id: '1', data: { state: 'synced', items: [] } });
  show();
  opened[0]?.listener.onData({ id: '2', data: { items: [change('created', 'b', '2')] } });
  await flushed();
  answers[0]?.([tool('a', '1')]);
  await flushed();
  expect(names()).toEqual(['a', 'b']);
  void queryClient.invalidateQueries({ queryKey: KEY });
  opened[0]?.listener.onData({ id: '3', data: { items: [change('deleted', 'a', '3')] } });
  await flushed();
  answers[1]?.([tool('a', '1'), tool('b', '2')]);
  await flushed();
  expect(names()).toEqual(['b']);
});

test('a resumed stream has missed no change, and data outside of it is requested again', async () => {
  const { answers, opened, show, queryClient } = setup();
  const ask = vi.fn(() => Promise.resolve('on'));
  opened[0]?.listener.onData({ id: '1', data: { state: 'synced', items: [] } });
  show();
  answers[0]?.([tool('a', '1')]);
  new QueryObserver(queryClient, { queryKey: [['server', 'capabilities']], queryFn: ask }).subscribe(() => undefined);
  await flushed();
  expect([answers.length, ask.mock.calls.length]).toEqual([1, 1]);
  opened[0]?.listener.onData({ id: '1', data: { state: 'synced', items: [] } });
  await flushed();
  expect([answers.length, ask.mock.calls.length]).toEqual([1, 2]);
});

describe('a stream from the position of the first answer', () => {
  beforeEach(() => connection.signedIn());

  test('has missed no change of data that was read after it, which is not requested again', async () => {
    const { answers, opened, show, names } = setup('7');
    expect(opened[0]?.input).toMatchObject({ lastEventId: '7' });
    show();
    answers[0]?.([tool('a', '8')]);
    opened[0]?.listener.onData({ id: '7', data: { state: 'synced', items: [] } });
    opened[0]?.listener.onData({ id: '9', data: { items: [change('updated', 'a', '8'), change('created', 'b', '9')] } });
    await flushed();
    expect(names()).toEqual(['a', 'b']);
    expect(answers).toHaveLength(1);
  });

  test('requests data again that it does not feed after a failed attempt, and all of it once the log does not reach back', async () => {
    const { answers, opened, show, queryClient } = setup('7');
    const ask = vi.fn(() => Promise.resolve('on'));
    new QueryObserver(queryClient, { queryKey: [['server', 'capabilities']], queryFn: ask }).subscribe(() => undefined);
    show();
    answers[0]?.([tool('a', '8')]);
    connection.closed(undefined);
    opened[0]?.listener.onData({ id: '7', data: { state: 'synced', items: [] } });
    await flushed();
    expect([answers.length, ask.mock.calls.length]).toEqual([1, 2]);
    opened[0]?.listener.onData({ id: '9', data: { state: 'resync', items: [] } });
    await flushed();
    expect([answers.length, ask.mock.calls.length]).toEqual([2, 3]);
  });
});

test('a tab of one namespace receives changes of workers', () => {
  const { opened } = setup();
  expect(opened[0]?.input).toEqual({ namespace: 'default', everywhere: ['Worker'] });
});

test('a first answer in flight when the stream comes in step is requested again', async () => {
  const { answers, opened, show, names } = setup();
  show();
  opened[0]?.listener.onData({ id: '5', data: { state: 'synced', items: [] } });
  answers[0]?.([]);
  await flushed();
  answers[1]?.([tool('a', '4')]);
  await flushed();
  expect(names()).toEqual(['a']);
  expect(answers).toHaveLength(2);
});

test('a count in flight when the stream comes in step, or when a change arrives, is requested again', async () => {
  const { opened, queryClient } = setup();
  const answers: ((count: number) => void)[] = [];
  const ask = () => new Promise<number>((resolve) => answers.push(resolve));
  const queryKey = [['resources', 'counts'], { input: { selections: [{ kind: 'Tool' }] } }];
  new QueryObserver(queryClient, { queryKey, queryFn: ask }).subscribe(() => undefined);
  opened[0]?.listener.onData({ id: '5', data: { state: 'synced', items: [] } });
  answers[0]?.(1);
  await flushed();
  answers[1]?.(0);
  await flushed();
  expect([queryClient.getQueryData(queryKey), answers.length]).toEqual([0, 2]);
  queryClient.removeQueries({ queryKey });
  new QueryObserver(queryClient, { queryKey, queryFn: ask }).subscribe(() => undefined);
  opened[0]?.listener.onData({ id: '6', data: { items: [change('created', 'a', '6')] } });
  await vi.advanceTimersByTimeAsync(2_000);
  answers[2]?.(0);
  await flushed();
  answers[3]?.(1);
  await flushed();
  expect([queryClient.getQueryData(queryKey), answers.length]).toEqual([1, 4]);
});

test('an object created and changed at once is counted', async () => {
  const { opened, queryClient } = setup();
  const ask = vi.fn(() => Promise.resolve(0));
  opened[0]?.listener.onData({ id: '1', data: { state: 'synced', items: [] } });
  const queryKey = [['resources', 'counts'], { input: { selections: [{ kind: 'Tool' }] } }];
  new QueryObserver(queryClient, { queryKey, queryFn: ask }).subscribe(() => undefined);
  await flushed();
  opened[0]?.listener.onData({ id: '2', data: { items: [change('created', 'a', '2')] } });
  await vi.advanceTimersByTimeAsync(20);
  opened[0]?.listener.onData({ id: '3', data: { items: [change('updated', 'a', '3')] } });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(ask).toHaveBeenCalledTimes(2);
});

test('a hidden list that missed changes does not count as fresh after a later one', async () => {
  const { answers, opened, show, queryClient } = setup();
  opened[0]?.listener.onData({ id: '1', data: { state: 'synced', items: [] } });
  const hide = show();
  answers[0]?.([tool('a', '1')]);
  await flushed();
  hide();
  opened[0]?.listener.onData({ id: '90', data: { state: 'resync', items: [] } });
  opened[0]?.listener.onData({ id: '91', data: { items: [change('created', 'z', '91')] } });
  await flushed();
  expect(queryClient.getQueryState(KEY)?.isInvalidated).toBe(true);
});

test('a stream that fails or ends resumes after the last change seen, and the connection is not live meanwhile', async () => {
  const { opened, session } = setup();
  opened[0]?.listener.onData({ id: '7', data: { state: 'synced', items: [] } });
  expect(connection.state().phase).toBe('live');
  opened[0]?.listener.onError(new Error('the store did not answer'));
  opened[0]?.listener.onComplete();
  expect(connection.state().phase).toBe('reconnecting');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(opened.map(({ input }) => input.lastEventId)).toEqual([undefined, '7']);
  opened[1]?.listener.onData({ id: '8', data: { state: 'synced', items: [] } });
  expect(connection.state().phase).toBe('live');
  session.stop();
  opened[1]?.listener.onComplete();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(opened).toHaveLength(2);
});

test('an object deleted while shown disappears without a request, and returns when one of its name is created', async () => {
  const { opened, queryClient } = setup();
  const ask = vi.fn(() => Promise.resolve(tool('a', '1')));
  const queryKey = [['resources', 'get'], { input: { kind: 'Tool', namespace: 'default', name: 'a' }, type: 'query' }] as const;
  const observer = new QueryObserver<Resource>(queryClient, { queryKey, queryFn: ask });
  observer.subscribe(() => undefined);
  await flushed();
  opened[0]?.listener.onData({ id: '2', data: { items: [change('deleted', 'a', '2')] } });
  await flushed();
  const gone = observer.getCurrentResult();
  expect(problemOf(gone.error).code).toBe('not_found');
  expect(gone.data?.metadata.resourceVersion).toBe('1');
  opened[0]?.listener.onData({ id: '3', data: { items: [change('created', 'a', '3')] } });
  await flushed();
  expect(observer.getCurrentResult()).toMatchObject({ status: 'success', data: { metadata: { resourceVersion: '3' } } });
  expect(ask).toHaveBeenCalledTimes(1);
});
