// svcctl wait and delete, of one object and of many, against a real server.
import { describe, expect, test } from 'vitest';
import { startCliServer } from '../../testing/cli-server.ts';
import type { CliOptions } from '../../testing/run-svcctl.ts';

const { start, freshNamespace } = await startCliServer();

/** svcctl in a namespace of its own that holds the documents. */
async function namespaceWith(...documents: readonly string[]) {
  const n = freshNamespace();
  const svcctl = (argv: readonly string[], options: CliOptions = {}) => start(['-n', n, ...argv], options).done;
  if (documents.length > 0) expect((await svcctl(['apply', '-f', '-'], { stdin: documents.join('---\n') })).code).toBe(0);
  return { n, svcctl };
}

const agent = (name: string) =>
  `apiVersion: svc.dev/v1\nkind: Agent\nmetadata:\n  name: ${name}\n  labels: { set: one }\nspec:\n  model_ref: m\n  prompt: be brief\n`;
const tool = (name: string) =>
  `apiVersion: svc.dev/v1\nkind: Tool\nmetadata: { name: ${name} }\nspec: { endpoint: "https://tool.example/" }\n`;

describe('wait', () => {
  test('waits for a value at a path and for an object to be there', async () => {
    const { n, svcctl } = await namespaceWith(agent('a'));
    const value = start(['wait', '-n', n, 'agent/a', '--for', 'jsonpath={.metadata.labels.ready}=yes']);
    const created = start(['wait', '-n', n, 'agent/b', '--for', 'create']);
    await svcctl(['label', 'agent/a', 'ready=yes']);
    await svcctl(['apply', '-f', '-'], { stdin: agent('b') });
    expect(await value.done).toEqual({ code: 0, out: 'agent/a {.metadata.labels.ready}=yes\n', err: '' });
    expect(await created.done).toEqual({ code: 0, out: 'agent/b created\n', err: '' });
    expect((await svcctl(['wait', 'agent/a', '--for', 'jsonpath=.spec.prompt'])).out).toBe('agent/a .spec.prompt\n');
    expect((await svcctl(['wait', 'agent/a', '--for', 'jsonpath=.spec.absent', '--timeout', '100ms'])).code).toBe(6);
  });

  test('waits for all objects that a selector finds', async () => {
    const { svcctl } = await namespaceWith(agent('a'), agent('b'));
    expect((await svcctl(['wait', 'agents', '-l', 'set=one', '--for', 'condition=pending'])).out.split('\n').sort()).toEqual([
      '',
      'agent/a Pending',
      'agent/b Pending',
    ]);
    expect((await svcctl(['wait', 'agents', '-l', 'set=none'])).code).toBe(5);
    expect((await svcctl(['wait', 'agents'])).code).toBe(2);
    expect((await svcctl(['wait', 'agent/a', '--for', 'condition=Great'])).err).toContain('its phases are');
    expect(await svcctl(['wait', 'agent/a'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('agents have no end phase to wait for') as string,
    });
  });

  test('waits for many objects, and names the first one that does not exist', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `a-${String(i).padStart(2, '0')}`);
    const { n, svcctl } = await namespaceWith(...names.map((name) => agent(name)));
    const lines = (await svcctl(['wait', 'agents', '--all', '--for', 'phase=Pending'])).out.trimEnd().split('\n').sort();
    expect(lines).toEqual(names.map((name) => `agent/${name} Pending`));
    expect(await svcctl(['wait', 'agents', ...names, 'z', '--for', 'jsonpath=.spec.absent'])).toMatchObject({
      code: 5,
      err: `error: agent/z does not exist in namespace ${n}\n`,
    });
    expect(await svcctl(['wait', 'agents', '--all', '--for', 'jsonpath=.spec.absent', '--timeout', '500ms'])).toMatchObject({
      code: 6,
      err: 'error: timed out waiting for agent/a-00 and 39 more\nhint: wait longer with --timeout\n',
    });
    const deleted = start(['wait', '-n', n, 'agents', '--all', '--for', 'delete']);
    expect((await svcctl(['delete', 'agents', '--all', '--yes'])).out).toBe(names.map((name) => `agent/${name} deleted\n`).join(''));
    expect((await deleted.done).code).toBe(0);
  });

  test('delete --wait returns when the objects no longer exist', async () => {
    const { svcctl } = await namespaceWith(agent('a'), agent('b'), tool('t'));
    expect((await svcctl(['delete', 'agents', 'a', '--wait'])).out).toBe('agent/a deleted\n');
    expect((await svcctl(['delete', 'all', '--all', '--yes'])).code).toBe(2);
    expect((await svcctl(['delete', 'agents,tools', '--all', '--yes'])).out).toBe('agent/b deleted\ntool/t deleted\n');
    expect((await svcctl(['get', 'agents,tools', '-o', 'name'])).out).toBe('');
  });

  test('delete deletes existing objects and names every missing one', async () => {
    const { n, svcctl } = await namespaceWith(agent('a'), agent('b'));
    expect(await svcctl(['delete', 'agents', 'a', 'x', 'b', 'y'])).toEqual({
      code: 5,
      out: 'agent/a deleted\nagent/b deleted\n',
      err: `error: Agent ${n}/x does not exist\nerror: Agent ${n}/y does not exist\nhint: list them with "npx svcctl get agents -A"\n`,
    });
  });
});
