// svcctl events against a real server.
import { expect, test } from 'vitest';
import { startCliServer } from '../../testing/cli-server.ts';

const { start, freshNamespace } = await startCliServer();

/** svcctl in a namespace of its own that holds the agents `a` and `b`. */
async function twoAgents() {
  const n = freshNamespace();
  const svcctl = (argv: readonly string[], stdin = '') => start(['-n', n, ...argv], { stdin }).done;
  const agents = ['a', 'b'].map((name) => `kind: Agent\nmetadata: { name: ${name} }\nspec: { model_ref: m, prompt: be brief }\n`);
  expect((await svcctl(['apply', '-f', '-'], agents.join('---\n'))).code).toBe(0);
  return { n, svcctl };
}

test('lists what happened, oldest first, by object, type and time', async () => {
  const { svcctl } = await twoAgents();
  await svcctl(['label', 'agent/a', 'k=v']);
  const types = async (...argv: string[]) =>
    (await svcctl(['events', '-o', 'jsonpath={range .items[*]}{.type} {.name}{"\\n"}{end}', ...argv])).out;
  expect(await types()).toBe('resource.created a\nresource.created b\nresource.updated a\n');
  expect(await types('--for', 'agent/a')).toBe('resource.created a\nresource.updated a\n');
  expect(await types('--type', 'resource.updated')).toBe('resource.updated a\n');
  expect(await types('--type', 'resource.updated,resource.deleted')).toBe('resource.updated a\n');
  expect(await types('--limit', '1')).toBe('resource.updated a\n');
  expect(await types('--since', '1d')).toBe('resource.created a\nresource.created b\nresource.updated a\n');
  expect((await svcctl(['events'])).out).toMatch(/^AGE +TYPE +OBJECT +MESSAGE\n\d+s +resource\.created +agent\/a +Agent /);
  expect((await svcctl(['events', '--for', 'agent/none'])).err).toBe('No events.\n');
  expect((await svcctl(['events', '--for', 'agents'])).code).toBe(2);
});

test('leaves out the heartbeats of workers without --heartbeats', async () => {
  const svcctl = (...argv: string[]) => start(argv).done;
  expect((await svcctl('wait', 'workers', '--all', '--for', 'phase=Ready', '--timeout', '20s')).code).toBe(0);
  const worker = (await svcctl('get', 'workers', '-o', 'name')).out.trim();
  const types = async (...argv: string[]) =>
    (await svcctl('events', '--for', worker, '-o', 'jsonpath={range .items[*]}{.type}{"\n"}{end}', ...argv)).out.split('\n');
  expect(await types()).toContain('worker.ready');
  expect(await types()).not.toContain('resource.updated');
  expect(await types('--heartbeats')).toContain('resource.updated');
  expect((await svcctl('describe', worker)).out).not.toContain('resource.updated');
});

test('describe leaves out events of an earlier object of the name', async () => {
  const { svcctl } = await twoAgents();
  await svcctl(['label', 'agent/a', 'k=v']);
  await svcctl(['delete', 'agent/a']);
  await svcctl(['apply', '-f', '-'], 'kind: Agent\nmetadata: { name: a }\nspec: { model_ref: m, prompt: be brief }\n');
  const { out } = await svcctl(['describe', 'agent/a']);
  expect(out.match(/resource\.\w+/g)).toEqual(['resource.created']);
});

test('-w prints new events until Ctrl-C', async () => {
  const { n, svcctl } = await twoAgents();
  const watch = start(['events', '-n', n, '-w', '--for', 'agent/a', '-o', 'jsonpath={.type}']);
  await watch.prints('resource.created\n');
  await svcctl(['label', 'agent/b', 'k=v']);
  await svcctl(['label', 'agent/a', 'k=v']);
  await svcctl(['delete', 'agent/a']);
  await watch.prints('resource.deleted\n');
  watch.interrupt();
  expect(await watch.done).toEqual({ code: 0, out: 'resource.created\nresource.updated\nresource.deleted\n', err: '' });
});
