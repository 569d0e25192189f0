// Pages of the messages of a Task.
import { afterEach, expect, test } from 'vitest';
import { systemContext, type Registry } from '../../registry/registry.ts';
import { keptDecisions } from '../../testing/approval-deps.ts';
import { openEngine, putSystem, type EngineBundle } from '../../testing/engine.ts';
import { silentObserver } from '../observer.ts';
import { noRunListeners } from '../run-listeners.ts';
import { createRunService } from './create-run-service.ts';

let engine: EngineBundle | undefined;
afterEach(() => engine?.close());

test('a page begins after any message of the run, and is refused after any other', async () => {
  engine = await openEngine();
  await putSystem(engine, { a: {}, b: {} }, { a: { next: 'b' } });
  await engine.put('Task', 'task', { system: 'system' });
  engine.worker.start();
  await engine.until('task');
  const parts = { store: engine.store, observer: silentObserver, runListeners: noRunListeners, registry: {} as Registry };
  const runs = createRunService({ ...parts, ...keptDecisions() });
  const read = (filter: object) => runs.messages(systemContext, { namespace: 'default', name: 'task' }, filter);
  const [first, second] = (await read({}))['messages'] as { readonly message_id: string }[];
  // The first message does not match the filter of the second page.
  const page = await read({ after: first?.message_id, to_agent: 'b' });
  expect(page).toMatchObject({ messages: [{ message_id: second?.message_id }], total: 1 });
  await expect(read({ after: 'zzz' })).rejects.toMatchObject({ code: 'invalid' });
});
