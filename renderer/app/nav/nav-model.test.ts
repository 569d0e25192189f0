import { expect, test } from 'vitest';
import { kindTable } from '../../kinds/kind-table.ts';
import { currentEntry, navGroups } from './nav-model.ts';

test('every kind but the approvals stands in the navigation once', () => {
  const shown = navGroups(kindTable, 'default').flatMap((group) => group.entries.flatMap((entry) => entry.kind ?? []));
  const expected = kindTable.filter((kind) => !kind.plural.endsWith('-approvals')).map((kind) => kind.kind);
  expect(shown.toSorted()).toEqual(expected.toSorted());
});

test('groups and entries stand in the order people look for them', () => {
  const groups = navGroups(kindTable, '-');
  expect(groups.map((group) => group.label)).toEqual(['Work', 'Design', 'Triggers', 'Govern', 'Secure', 'Platform']);
  expect(groups[0]?.entries.map((entry) => entry.label)).toEqual(['Dashboard', 'Inbox', 'Tasks', 'Sessions']);
  expect(groups[1]?.entries.slice(0, 2).map((entry) => entry.label)).toEqual(['Agent systems', 'Agents']);
  expect(groups[0]?.entries[2]?.href).toBe('/n/-/tasks');
});

test.each([
  ['/n/default/tasks', 'tasks'],
  ['/n/default/tasks/nightly', 'tasks'],
  ['/n/default/new/agents', 'agents'],
  ['/n/default/compare', 'tasks'],
  ['/welcome', undefined],
])('at %s one is in %s', (pathname, entry) => expect(currentEntry(pathname)).toBe(entry));
