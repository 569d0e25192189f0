// Changes applied to loaded data: after any sequence of them a cached list equals the server's answer.
import type { WatchItem } from '@svc/shared/api/watch';
import type { Resource } from '@svc/shared/resource';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { belongs, changeList, changeObject, type CachedInput, type ListPages } from './apply-changes.ts';

interface Shape {
  readonly name: string;
  readonly version?: number;
  readonly uid?: string;
  readonly phase?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly createdAt?: string;
  readonly status?: Readonly<Record<string, unknown>>;
}

function resource({
  name,
  version = 1,
  uid = name,
  phase = 'Pending',
  labels = {},
  createdAt = '2026-01-01T00:00:00.000Z',
  status,
}: Shape): Resource {
  const metadata = {
    name,
    uid,
    labels,
    createdAt,
    namespace: 'team-a',
    resourceVersion: String(version),
    generation: 1,
    annotations: {},
    updatedAt: createdAt,
  };
  return { apiVersion: 'svc.dev/v1', kind: 'Task', metadata, spec: { system: 'desk' }, status: { phase, ...status } };
}

function change(type: WatchItem['type'], shape: Shape): WatchItem {
  const object = resource(shape);
  return { type, kind: 'Task', namespace: 'team-a', name: shape.name, resourceVersion: object.metadata.resourceVersion, resource: object };
}

const pages = (...items: (readonly Resource[])[]): ListPages => ({
  pages: items.map((each, index) => ({ items: each, ...(index < items.length - 1 && { continue: 'x' }) })),
  pageParams: [],
});
const names = (data: ListPages) => data.pages.map(({ items }) => items.map(({ metadata }) => metadata.name));
const all: CachedInput = { kind: 'Task' };

test('a new object enters a list sorted by a column at its place', () => {
  const agent = (name: string, model: string): Resource => ({ ...resource({ name }), kind: 'Agent', spec: { model_ref: model } });
  const input = { kind: 'Agent', order: '-spec.model_ref' };
  const fresh = { ...change('created', { name: 'b' }), kind: 'Agent', resource: agent('b', 'Medium') };
  expect(names(changeList(pages([agent('c', 'small'), agent('a', 'large')]), input, [fresh]))).toEqual([['c', 'b', 'a']]);
});

test('a list by a part of the name has the objects whose names contain it, in any case', () => {
  const item = change('created', { name: 'invoice-Cleanup' });
  const input = { kind: 'Task', namespace: 'team-a' };
  expect(belongs({ ...input, nameContains: 'CLEAN' }, item)).toBe(true);
  expect(belongs({ ...input, nameContains: 'invoice-b' }, item)).toBe(false);
});

describe('a list', () => {
  test('inserts a new object at its place by name', () => {
    const data = pages([resource({ name: 'a' }), resource({ name: 'c' })], [resource({ name: 'e' })]);
    expect(names(changeList(data, all, [change('created', { name: 'b' }), change('created', { name: 'd' })]))).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
    ]);
  });

  test('inserts the newest first where it has that order', () => {
    const at = (name: string, day: number) => ({ name, createdAt: `2026-01-0${day}T00:00:00.000Z` });
    const data = pages([resource(at('old', 1))]);
    expect(names(changeList(data, { ...all, order: '-createdAt' }, [change('created', at('new', 2))]))).toEqual([['new', 'old']]);
  });

  test('omits objects behind the loaded pages', () => {
    const data: ListPages = { pages: [{ items: [resource({ name: 'a' })], continue: 'team-a/a' }], pageParams: [] };
    expect(changeList(data, all, [change('created', { name: 'z' })])).toBe(data);
  });

  test('removes deleted objects, and those that no longer match', () => {
    const running: CachedInput = { ...all, fieldSelector: 'status.phase=Running' };
    const data = pages([resource({ name: 'a', phase: 'Running' }), resource({ name: 'b', phase: 'Running' })]);
    const items = [change('updated', { name: 'a', version: 2, phase: 'Succeeded' }), change('deleted', { name: 'b' })];
    expect(names(changeList(data, running, items))).toEqual([[]]);
  });

  test('does not revert to an older version', () => {
    const data = pages([resource({ name: 'a', version: 5 })]);
    expect(changeList(data, all, [change('updated', { name: 'a', version: 4 })])).toBe(data);
  });

  test('replaces an object by another of the same name', () => {
    const data = pages([resource({ name: 'a', version: 5, uid: 'first' })]);
    expect(changeList(data, all, [change('created', { name: 'a', version: 1, uid: 'second' })]).pages[0]?.items[0]?.metadata.uid).toBe(
      'second',
    );
  });

  test('equals a fresh read after any changes', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
    const step = fc.record({ name, remove: fc.boolean(), phase: fc.constantFrom('Pending', 'Running'), team: fc.constantFrom('x', 'y') });
    const inputs = fc.constantFrom<CachedInput>(
      all,
      { ...all, labelSelector: 'team=x' },
      { ...all, fieldSelector: 'status.phase!=Running' },
      { ...all, namespace: 'team-b' },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), inputs, (steps, input) => {
        const server = new Map<string, Resource>();
        let kept = pages([]);
        let version = 0;
        for (const { name: key, remove, phase, team } of steps) {
          version += 1;
          const existed = server.has(key);
          if (remove && !existed) continue;
          const item = change(remove ? 'deleted' : existed ? 'updated' : 'created', {
            name: key,
            version,
            phase,
            labels: { team },
            uid: key,
          });
          if (remove) server.delete(key);
          else server.set(key, item.resource);
          kept = changeList(kept, input, [item]);
        }
        const fresh = [...server.values()].filter((each) => belongs(input, { kind: 'Task', namespace: 'team-a', resource: each }));
        expect(kept.pages.flatMap(({ items }) => items)).toEqual(fresh.sort((x, y) => (x.metadata.name < y.metadata.name ? -1 : 1)));
      }),
      { numRuns: 300 },
    );
  });
});

describe('a search', () => {
  const search: CachedInput = { kind: 'Task', q: 'flood zee', order: '-createdAt' };
  const ended = { completedAt: '2026-01-02T00:00:00.000Z', output: { last_output: 'Zeeland, 1953' } };

  test('takes in an object whose texts have all words, and drops it when they have not', () => {
    const empty = pages([]);
    const other = changeList(empty, search, [change('created', { name: 'flood-1' })]);
    expect(names(other)).toEqual([[]]);
    const found = changeList(empty, search, [change('updated', { name: 'flood-1', version: 2, status: ended })]);
    expect(names(found)).toEqual([['flood-1']]);
    expect(names(changeList(found, search, [change('updated', { name: 'flood-1', version: 3 })]))).toEqual([[]]);
  });
});

describe('a single object', () => {
  test('keeps the heavy parts that changes omit, and nothing else of its old status', () => {
    const known = resource({ name: 'a', status: { trace: ['kept'], lastError: 'gone' } });
    const next = changeObject(known, change('updated', { name: 'a', version: 2, phase: 'Running' }), ['trace']);
    expect(next?.status).toEqual({ phase: 'Running', trace: ['kept'] });
  });

  test('is removed when it is deleted, but not when another of its name is', () => {
    const known = resource({ name: 'a', uid: 'second' });
    expect(changeObject(known, change('deleted', { name: 'a', uid: 'first' }), [])).toBe(known);
    expect(changeObject(known, change('deleted', { name: 'a', uid: 'second' }), [])).toBeUndefined();
  });
});
