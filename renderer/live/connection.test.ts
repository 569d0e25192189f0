// State of the connection after each event.
import { expect, test } from 'vitest';
import { Connection } from './connection.ts';

function setup() {
  let now = 1000;
  const connection = new Connection(() => now);
  const seen: string[] = [];
  connection.subscribe(() => seen.push(connection.state().phase));
  return { connection, seen, pass: (ms: number) => (now += ms) };
}

test('is live once the stream is in step, and reconnecting after its loss', () => {
  const { connection, seen, pass } = setup();
  connection.opened();
  connection.synced();
  pass(500);
  connection.closed(1006);
  connection.closed(1006);
  connection.synced();
  expect(seen).toEqual(['live', 'reconnecting', 'live']);
});

test('reports the last time at which the shown data was current', () => {
  const { connection, pass } = setup();
  connection.synced();
  pass(300);
  connection.closed(1006);
  pass(10_000);
  expect(connection.state()).toEqual({ phase: 'reconnecting', since: 1300, freshAt: 1300, failures: 0 });
});

test('requests sign-in when the server closes for that reason, whatever the network does', () => {
  const { connection } = setup();
  connection.synced();
  connection.closed(4401);
  connection.offline();
  expect(connection.state().phase).toBe('unauthorized');
});

test('before the first stream, a server that does not answer is a loss, and one that does is not', () => {
  const { connection, seen } = setup();
  connection.closed(1006);
  expect(connection.state()).toMatchObject({ phase: 'connecting', failures: 1 });
  connection.unreachable();
  connection.answered();
  connection.unreachable();
  connection.synced();
  connection.unreachable();
  connection.closed(1006);
  connection.answered();
  expect(seen).toEqual(['connecting', 'reconnecting', 'connecting', 'reconnecting', 'live', 'reconnecting']);
});

test('an answer ends the offline phase where there never was a stream, and only the stream ends it where there was one', () => {
  const { connection, seen } = setup();
  connection.offline();
  connection.answered();
  connection.synced();
  connection.offline();
  connection.answered();
  expect(seen).toEqual(['offline', 'connecting', 'live', 'offline']);
});
