import { expect, test } from 'vitest';
import { kindTable } from '../../kinds/kind-table.ts';
import { currentEntry, navGroups, sectionOf } from './nav-model.ts';

const sections = () =>
  navGroups(kindTable, 'default').flatMap(({ entries }) => entries.flatMap(({ tabs }) => tabs.map(({ section }) => section)));

test('navigation lists every kind once', () => {
  const expected = kindTable.filter((kind) => kind.area !== 'inbox').map((kind) => kind.plural);
  expect(
    sections()
      .filter((section) => expected.includes(section))
      .toSorted(),
  ).toEqual(expected.toSorted());
});

test('navigation omits an entry that has no kind left', () => {
  const labels = (kinds: typeof kindTable) => navGroups(kinds, '-').flatMap(({ entries }) => entries.map(({ label }) => label));
  const none = kindTable.filter(({ area }) => area !== 'triggers');
  expect(labels(kindTable)).toContain('Triggers');
  expect(labels(none)).not.toContain('Triggers');
});

test('navigation groups entries by activity', () => {
  const groups = navGroups(kindTable, '-').map(({ label, entries }) => [label ?? '', ...entries.map((entry) => entry.label)]);
  expect(groups).toEqual([
    ['', 'Home', 'Inbox', 'Runs', 'Sessions'],
    ['Build', 'Systems', 'Agents', 'Experiments', 'Models', 'Tools', 'Memory', 'Triggers'],
    ['Govern', 'Access', 'Secrets'],
    ['Operate', 'Workers', 'Events', 'Server'],
    ['', 'Settings'],
  ]);
});

test('kinds of one area are tabs of one entry', () => {
  const access = navGroups(kindTable, 'ops')
    .flatMap(({ entries }) => entries)
    .find(({ id }) => id === 'access');
  expect(access?.tabs.map(({ href }) => href)).toEqual([
    '/n/ops/simulator',
    '/n/ops/agent-policies',
    '/n/ops/tool-permissions',
    '/n/ops/agent-roles',
    '/n/ops/tokens',
    '/n/ops/users',
  ]);
});

test('Secrets come before the sealed ones', () => {
  const secrets = navGroups(kindTable, 'ops')
    .flatMap(({ entries }) => entries)
    .find(({ id }) => id === 'secrets');
  expect(secrets).toMatchObject({ href: '/n/ops/secrets', tabs: [{ kind: 'Secret' }, { kind: 'SealedSecret' }] });
});

test.each([
  ['/n/default/tasks', 'tasks', 'runs'],
  ['/n/default/tasks/nightly', 'tasks', 'runs'],
  ['/n/default/new/agents', 'agents', 'agents'],
  ['/n/default/compare', 'tasks', 'runs'],
  ['/n/default/agent-roles/reader', 'agent-roles', 'access'],
  ['/n/default/tokens', 'tokens', 'access'],
  ['/n/default/a2a', 'a2a', 'systems'],
  ['/welcome', undefined, undefined],
])('%s belongs to section %s of entry %s', (pathname, section, entry) => {
  expect(sectionOf(pathname)).toBe(section);
  expect(currentEntry(navGroups(kindTable, 'default'), pathname)?.id).toBe(entry);
});
