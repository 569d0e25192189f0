// Watches over connections that break.
import { expect, it } from 'vitest';
import { kindByName } from '@svc/shared/kinds';
import type { KindDefinition } from '@svc/shared/kinds/define';
import type { ApiClient } from './client.ts';
import { watchObjects } from './watch-objects.ts';
import { CliError, EXIT } from '../program/exit-codes.ts';

it('begins again with a snapshot when the connection breaks inside of one', async () => {
  const resumedAfter: (string | undefined)[] = [];
  const end = new AbortController();
  const client = {
    async *stream({ lastEventId }: { lastEventId?: string }) {
      resumedAfter.push(lastEventId);
      await Promise.resolve();
      yield { id: '0', event: 'resource', data: '{"name":"a"}' };
      if (resumedAfter.length === 1) throw new CliError('connection reset', { exitCode: EXIT.unreachable });
      yield { id: '7', event: 'synced', data: '{"seq":7}' };
      if (resumedAfter.length === 3) end.abort();
    },
  } as unknown as ApiClient;
  const seen = [];
  for await (const event of watchObjects(client, kindByName('Agent') as KindDefinition, { namespace: 'default', signal: end.signal }))
    seen.push(event.type);
  expect({ seen, resumedAfter }).toEqual({
    seen: ['item', 'item', 'synced', 'item', 'synced'],
    resumedAfter: [undefined, undefined, '7'],
  });
});
