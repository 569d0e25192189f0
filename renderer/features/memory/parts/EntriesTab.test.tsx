// Entries of a Memory over a fake server: tree, search, values, writes with their conflicts, and each state of a read.
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { refusal, serve, type Answers } from '../../../testing/fake-link.ts';
import { objectOf } from '../../../testing/fake-objects.ts';
import { giveLayout } from '../../../testing/layout.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { EntriesTab } from './EntriesTab.tsx';

giveLayout();

interface Options {
  readonly stored?: Record<string, string>;
  readonly at?: string;
  readonly role?: string;
  readonly spec?: object;
  readonly status?: object;
  readonly memories?: Answers['memories'];
}

const STORED = { 'docs/a': 'first', 'docs/b': '{"lines":[1,2]}', readme: 'Hello' };

/** The procedures over a map: pages by key, and a search for a part of the value. */
function entriesOver(entries: Map<string, string>): NonNullable<Answers['memories']> {
  return {
    entries: ({ q, prefix = '', limit = 100, after = '' }) => {
      if (q !== undefined) {
        const results = [...entries].filter(([, value]) => value.includes(q)).map(([key, value]) => ({ key, value, score: 0.5 }));
        return { entries: results, count: results.length, search: 'keyword' };
      }
      const all = [...entries.keys()].sort().filter((key) => key.startsWith(prefix) && key > after);
      const page = all.slice(0, limit).map((key) => ({ key, value: entries.get(key), score: 0 }));
      return { entries: page, count: page.length, ...(all.length > limit && { continue: page.at(-1)?.key }) };
    },
    writeEntry: ({ key, value }) => {
      const created = !entries.has(key);
      entries.set(key, value);
      return { key, created };
    },
    ingest: ({ source, content }) => {
      const keys = [`${source}/chunk-0000`];
      entries.set(keys[0] ?? '', content);
      return { keys };
    },
    deleteEntry: ({ key }) => {
      entries.delete(key);
      return { key };
    },
  };
}

async function show({ stored = STORED, at = '', role = 'writer', spec, status, memories = {} }: Options = {}) {
  const entries = new Map(Object.entries(stored));
  serve({
    server: { hello: () => ({ identity: { name: 'ana', role }, features: [] }) },
    memories: { ...entriesOver(entries), ...memories },
  });
  const resource = objectOf('Memory', 'notes', { spec: { provider: 'embedded', ...spec }, status: { phase: 'Ready', ...status } });
  const page = await renderAt(`/n/ops/memories/notes${at}`, () => <EntriesTab resource={resource} />);
  return { ...page, entries };
}

const rows = () => screen.getAllByRole('treeitem').map((row) => row.textContent);
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }));
const type = (label: string | RegExp, value: string) =>
  fireEvent.change(screen.getByLabelText(label, { selector: 'input, textarea' }), { target: { value } });

test('keys are a tree, and a selected key shows its value and is part of the address', async () => {
  const { address } = await show();
  await screen.findByRole('tree', { name: 'Keys' });
  expect(rows()).toEqual(['docs/2', 'a', 'b', 'readme']);
  expect(screen.getByText('3 keys')).toBeDefined();
  fireEvent.click(screen.getByRole('treeitem', { name: /readme/ }));
  expect((await screen.findByRole('region', { name: 'Value' })).textContent).toBe('Hello');
  expect(address()).toContain('key=readme');
});

test('folders are folded by keys', async () => {
  await show();
  const tree = await screen.findByRole('tree', { name: 'Keys' });
  fireEvent.keyDown(tree, { key: 'ArrowLeft' });
  expect(rows()).toEqual(['docs/2', 'readme']);
  fireEvent.keyDown(tree, { key: 'ArrowRight' });
  fireEvent.keyDown(tree, { key: 'End' });
  fireEvent.keyDown(tree, { key: 'Enter' });
  expect(await screen.findByRole('article', { name: 'Entry readme' })).toBeDefined();
});

test('a folder can be shown alone, by its prefix at the server', async () => {
  const { address } = await show();
  await screen.findByRole('tree', { name: 'Keys' });
  press('Show only docs/');
  await waitFor(() => expect(rows()).toEqual(['a', 'b']));
  expect(address()).toContain('prefix=docs');
  press('Show all keys');
  await waitFor(() => expect(rows()).toHaveLength(4));
});

test('JSON unfolds, and can be read as the text that it is', async () => {
  await show({ at: '?key=docs/b' });
  expect(await screen.findByRole('tree', { name: 'Value as JSON' })).toBeDefined();
  fireEvent.click(screen.getByRole('radio', { name: 'Text' }));
  expect((await screen.findByRole('region', { name: 'Value' })).textContent).toBe('{"lines":[1,2]}');
});

test('more keys are read page by page', async () => {
  const stored = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`k${1000 + index}`, 'x']));
  await show({ stored });
  expect(await screen.findByText('The first 100 keys')).toBeDefined();
  press('Read more');
  expect(await screen.findByText('150 keys')).toBeDefined();
  expect(screen.queryByRole('button', { name: 'Read more' })).toBeNull();
});

test('a search names its kind and shows scores', async () => {
  await show();
  type('Search entries', 'Hell');
  fireEvent.submit(screen.getByRole('search'));
  expect((await screen.findByText(/1 result by/)).textContent).toBe('1 result by keyword search, best first');
  const result = within(screen.getByRole('list', { name: 'Results' })).getByRole('button');
  expect(result.textContent).toBe('readme0.5Hello');
  fireEvent.click(result);
  expect(await screen.findByRole('article', { name: 'Entry readme' })).toBeDefined();
});

test('a search without a result names its kind, and leads back to all keys', async () => {
  await show({ at: '?q=nothing' });
  expect(await screen.findByText('No entry matches')).toBeDefined();
  expect(screen.getByText(/keyword search found nothing/)).toBeDefined();
  press('Show all keys');
  expect(await screen.findByRole('tree', { name: 'Keys' })).toBeDefined();
});

test('a new entry is written and selected', async () => {
  const { entries, address } = await show();
  await screen.findByRole('tree', { name: 'Keys' });
  press('New entry');
  const dialog = within(await screen.findByRole('dialog'));
  fireEvent.click(dialog.getByRole('button', { name: 'Save' }));
  expect(dialog.getByText('The key must not be empty.')).toBeDefined();
  type(/^Key/, 'docs/new');
  type(/^Value/, 'text');
  fireEvent.click(dialog.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(entries.get('docs/new')).toBe('text');
  expect(address()).toContain('key=docs');
  await waitFor(() => expect(rows()).toContain('new'));
});

test('an existing key is replaced after a question only', async () => {
  const { entries } = await show();
  await screen.findByRole('tree', { name: 'Keys' });
  press('New entry');
  const dialog = within(await screen.findByRole('dialog'));
  type(/^Key/, 'readme');
  type(/^Value/, 'other');
  fireEvent.click(dialog.getByRole('button', { name: 'Save' }));
  expect((await dialog.findByRole('alert')).textContent).toContain('An entry of this key exists. Saving replaces this value:Hello');
  expect(entries.get('readme')).toBe('Hello');
  fireEvent.click(dialog.getByRole('button', { name: 'Replace' }));
  await waitFor(() => expect(entries.get('readme')).toBe('other'));
});

test('a value that an agent has written meanwhile is not lost silently', async () => {
  const { entries } = await show({ at: '?key=readme' });
  await screen.findByRole('article', { name: 'Entry readme' });
  press('Edit entry');
  const dialog = within(await screen.findByRole('dialog'));
  entries.set('readme', 'by an agent');
  type(/^Value/, 'mine');
  fireEvent.click(dialog.getByRole('button', { name: 'Save' }));
  expect((await dialog.findByRole('alert')).textContent).toContain('It was changed while this window was open');
  entries.delete('readme');
  fireEvent.click(dialog.getByRole('button', { name: 'Replace' }));
  expect(await dialog.findByText(/It was deleted while this window was open/)).toBeDefined();
  fireEvent.click(dialog.getByRole('button', { name: 'Write it again' }));
  await waitFor(() => expect(entries.get('readme')).toBe('mine'));
});

test.each(['by an agent', undefined])('a list that is read again behind the dialog keeps text and question, with %s', async (later) => {
  const { entries } = await show({ at: '?q=Hell&key=readme' });
  await screen.findByRole('article', { name: 'Entry readme' });
  press('Edit entry');
  const dialog = within(await screen.findByRole('dialog'));
  type(/^Value/, 'mine');
  if (later === undefined) entries.delete('readme');
  else entries.set('readme', later);
  act(() => void window.dispatchEvent(new Event('visibilitychange')));
  await waitFor(() => expect(screen.queryByText('Hello')).toBeNull());
  fireEvent.click(dialog.getByRole('button', { name: 'Save' }));
  expect((await dialog.findByRole('alert')).textContent).toContain('while this window was open');
  expect(entries.get('readme')).toBe(later);
  expect(dialog.getByLabelText(/^Value/)).toHaveProperty('value', 'mine');
});

test('a text is added as a document, from a file too, and replaces an earlier one after a question only', async () => {
  const { entries, address } = await show({ stored: { 'tides/chunk-0000': 'before' } });
  await screen.findByRole('tree', { name: 'Keys' });
  press('Add text');
  const dialog = within(await screen.findByRole('dialog', { name: 'Add text' }));
  fireEvent.click(dialog.getByRole('button', { name: 'Add' }));
  expect(dialog.getByText('The text must not be empty.')).toBeDefined();
  const choose = (part: BlobPart, name: string) =>
    fireEvent.change(dialog.getByLabelText('Text file'), { target: { files: [new File([part], name)] } });
  choose(new Uint8Array([0xff, 0xfe]), 'picture');
  expect(await dialog.findByText(/not text in UTF-8/)).toBeDefined();
  choose(new Uint8Array(2 * 1024 * 1024 + 1), 'large');
  expect(await dialog.findByText(/at most 2.* can be added at once/)).toBeDefined();
  choose('High water is twice a day.', 'tides');
  await waitFor(() => expect(dialog.getByLabelText(/^Source/)).toHaveProperty('value', 'tides'));
  fireEvent.click(dialog.getByRole('button', { name: 'Add' }));
  expect(await dialog.findByText(/Adding this one replaces its entries/)).toBeDefined();
  expect(entries.get('tides/chunk-0000')).toBe('before');
  fireEvent.click(dialog.getByRole('button', { name: 'Replace' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(entries.get('tides/chunk-0000')).toBe('High water is twice a day.');
  expect(address()).toContain('key=tides');
});

test('a deletion is confirmed, and ends the selection', async () => {
  const { entries, address } = await show({ at: '?key=readme' });
  await screen.findByRole('article', { name: 'Entry readme' });
  press('Delete entry');
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText(/cannot be undone/)).toBeDefined();
  fireEvent.click(dialog.getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(entries.has('readme')).toBe(false));
  expect(await screen.findByText('No entry selected')).toBeDefined();
  expect(address()).not.toContain('key=');
});

test('a refused write keeps the text', async () => {
  const writeEntry = () => {
    throw refusal('unavailable', 'the database does not answer');
  };
  await show({ at: '?key=readme', memories: { writeEntry } });
  await screen.findByRole('article', { name: 'Entry readme' });
  press('Edit entry');
  const dialog = within(await screen.findByRole('dialog'));
  type(/^Value/, 'mine');
  fireEvent.click(dialog.getByRole('button', { name: 'Save' }));
  expect(await dialog.findByText('the database does not answer')).toBeDefined();
  expect(dialog.getByLabelText(/^Value/)).toHaveProperty('value', 'mine');
});

test('a reader sees values and cannot write', async () => {
  await show({ at: '?key=readme', role: 'reader' });
  await screen.findByRole('article', { name: 'Entry readme' });
  for (const name of ['Add text', 'New entry', 'Edit entry', 'Delete entry']) {
    expect(screen.getByRole('button', { name }).getAttribute('aria-disabled')).toBe('true');
  }
});

test('an entry beyond the read pages is found by its address', async () => {
  const stored = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`k${1000 + index}`, `value ${index}`]));
  await show({ stored, at: '?key=k1149' });
  expect((await screen.findByRole('region', { name: 'Value' })).textContent).toBe('value 149');
});

test('an address of a missing key shows a notice', async () => {
  await show({ at: '?key=gone' });
  expect(await screen.findByText('There is no such entry')).toBeDefined();
});

test('an empty memory reports who writes it', async () => {
  await show({ stored: {} });
  expect(await screen.findByText('No entries')).toBeDefined();
});

test('a failing backend shows its reason, advice and a retry', async () => {
  const entries = vi.fn(() => {
    throw refusal('unavailable', 'connect ECONNREFUSED');
  });
  await show({
    memories: { entries },
    spec: { provider: 'pgvector', auth: { secretRef: 'pw' } },
    status: { phase: 'Error', lastError: 'the database does not answer' },
  });
  expect(screen.getAllByRole('alert')[0]?.textContent).toMatch(/does not work.*the database does not answer.*Secret pw.*automatically/);
  expect(await screen.findByText('The entries could not be read')).toBeDefined();
  expect(screen.queryByText('No entries')).toBeNull();
  entries.mockClear();
  press('Retry');
  await waitFor(() => expect(entries).toHaveBeenCalled());
});

test('a memory that the person may not read has a state of its own', async () => {
  const entries = () => {
    throw refusal('forbidden', 'the authorizer does not permit this');
  };
  await show({ memories: { entries } });
  expect(await screen.findByText('You may not read these entries')).toBeDefined();
});
