// Following a run over connections that break.
import { expect, it } from 'vitest';
import type { ApiClient } from './client.ts';
import { followRun } from './follow-trace.ts';
import { CliError, EXIT } from '../program/exit-codes.ts';

const away = () => new CliError('connection refused', { exitCode: EXIT.unreachable });

it('resumes behind the last entry after an outage, which it reports once', async () => {
  const resumedAfter: (string | undefined)[] = [];
  const client = {
    async *stream({ lastEventId }: { lastEventId?: string }) {
      resumedAfter.push(lastEventId);
      await Promise.resolve();
      if (resumedAfter.length === 1) yield { id: '1', event: 'trace', data: '{"seq":1}' };
      if (resumedAfter.length <= 3) throw away();
      yield { id: '2', event: 'trace', data: '{"seq":2}' };
    },
    send: () => Promise.resolve({ status: 200, warnings: [], body: { kind: 'Task', status: { phase: 'Succeeded' } } }),
  } as unknown as ApiClient;
  const lost: string[] = [];
  const entries = [];
  const options = { signal: new AbortController().signal, onLost: (error: Error) => lost.push(error.message) };
  for await (const entry of followRun(client, { namespace: 'default', name: 'a' }, options)) entries.push(entry);
  expect({ entries, resumedAfter, lost }).toEqual({
    entries: [{ seq: 1 }, { seq: 2 }],
    resumedAfter: [undefined, '1', '1', '1'],
    lost: ['connection refused'],
  });
});
