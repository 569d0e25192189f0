// Objects that are created once although the answer to their creation was lost.
import { expect, test } from 'vitest';
import { refusal, serve } from '../testing/fake-link.ts';
import { objectOf } from '../testing/fake-objects.ts';
import { creator, type NewObject } from './creator.ts';

const run = (name: string, system = 'desk'): NewObject => ({
  apiVersion: 'svc.dev/v1',
  kind: 'Task',
  metadata: { name, namespace: 'ops' },
  spec: { system },
});
const lost = new TypeError('Failed to fetch');

/** A server that stores each object and then answers as the failures say, one after the other. */
function setup(...failures: (Error | undefined)[]) {
  const stored = new Set<string>();
  serve({
    resources: {
      get: ({ name }) => objectOf('Task', name),
      write: ({ body }) => {
        const { name } = (body as NewObject).metadata;
        if (stored.has(name)) throw refusal('conflict', 'taken');
        const failure = failures.shift();
        if (failure === undefined || failure === lost) stored.add(name);
        if (failure) throw failure;
        return { resource: objectOf('Task', name) };
      },
    },
  });
  return { stored, create: creator() };
}
const nameOf = ({ metadata }: { readonly metadata: { readonly name: string } }) => metadata.name;

test('a repeat after a lost answer returns the object that was made', async () => {
  const { create, stored } = setup(lost, refusal('unavailable', 'it starts'));
  await expect(create(run('a'), 'the same')).rejects.toThrow('Failed to fetch');
  expect(nameOf(await create(run('b'), 'the same'))).toBe('a');
  expect([...stored]).toEqual(['a']);
  await expect(create(run('c'), 'the same')).rejects.toThrow('it starts');
  expect(nameOf(await create(run('d'), 'the same'))).toBe('d');
});

test('a request that did not arrive is repeated under its name', async () => {
  const { create, stored } = setup(new TypeError('Load failed'), undefined);
  await expect(create(run('a'), 'the same')).rejects.toThrow();
  expect(nameOf(await create(run('b'), 'the same'))).toBe('a');
  expect([...stored]).toEqual(['a']);
});

test('another request, and one of another form, makes an object of its own', async () => {
  const { create, stored } = setup(lost);
  await expect(create(run('a'))).rejects.toThrow();
  expect(nameOf(await create(run('b', 'shop')))).toBe('b');
  expect(nameOf(await creator()(run('c')))).toBe('c');
  expect([...stored]).toEqual(['a', 'b', 'c']);
});

test('a name that another object has is refused', async () => {
  const { create } = setup();
  await create(run('a'));
  await expect(create(run('a'))).rejects.toThrow('taken');
});
