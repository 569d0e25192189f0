// Behaviour of a batch dialog: concurrency, order of failures, excluded items, and closing at its end only.
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { BatchDialog } from './BatchDialog.tsx';
import { isAnotherObject } from '../feedback/shown-error.ts';
import { tally, useBatch, type BatchItem } from './use-batch.ts';

interface Waiting {
  readonly name: string;
  readonly resolve: (result: string) => void;
  readonly reject: (error: unknown) => void;
}

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];

function Probe({ under }: { readonly under: Waiting[] }) {
  const batch = useBatch<string, string>((name) => `ns/${name}`);
  const start = () => batch.start(NAMES, (name) => new Promise((resolve, reject) => under.push({ name, resolve, reject })));
  if (!batch.progress) return <button onClick={start}>Begin</button>;
  return (
    <BatchDialog
      title="Deleting"
      items={NAMES.map((name) => ({ key: `ns/${name}`, name }))}
      batch={batch}
      progress={batch.progress}
      resultOf={(result) => result}
      wayOutOf={(key, error) => isAnotherObject(error) && <a href="/new">{key}, the new one</a>}
      onClose={() => undefined}
    />
  );
}

const another = {
  data: { error: { code: 'conflict', message: 'It was made again', details: [{ path: 'metadata.uid', message: 'is b' }] } },
};

test('runs a few at a time, lists failures first, and stops on request', async () => {
  const under: Waiting[] = [];
  render(<Probe under={under} />);
  fireEvent.click(screen.getByText('Begin'));
  await waitFor(() => expect(under.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']));
  expect(screen.queryByRole('button', { name: 'Close' })).toBeNull();
  await act(async () => under[1]?.reject(another));
  expect(under.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(screen.getAllByRole('listitem')[0]?.textContent).toContain('It was made again ns/b, the new one');
  fireEvent.click(screen.getByText('Stop after these'));
  await act(async () => under.forEach(({ name, resolve }) => resolve(`${name} is done`)));
  expect(screen.getByRole('status').textContent).toBe('4 of 6 done, 1 failed, 1 left out');
  expect(screen.getAllByRole('listitem').at(-1)?.textContent).toContain('left out');
  expect(screen.getByText('a is done')).toBeDefined();
  expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('6');
  expect(screen.getAllByRole('button', { name: 'Close' })).not.toHaveLength(0);
});

test('a long batch is announced in ten steps', () => {
  const itemOf = (done: boolean): BatchItem<number> => (done ? { state: 'done', result: 1 } : { state: 'queued' });
  const state = (ended: number) => new Map(Array.from({ length: 2000 }, (_, at) => [String(at), itemOf(at < ended)] as const));
  const dialog = (ended: number) => (
    <BatchDialog
      title="Deleting"
      items={[]}
      batch={{ busy: true, stop: () => undefined }}
      progress={state(ended)}
      onClose={() => undefined}
    />
  );
  const { rerender } = render(dialog(199));
  expect(screen.getByRole('status').textContent).toBe('0 of 2,000');
  rerender(dialog(399));
  expect(screen.getByRole('status').textContent).toBe('200 of 2,000');
  expect(screen.getByText('399 of 2,000 done')).toBeDefined();
  rerender(dialog(2000));
  expect(screen.getByRole('status').textContent).toBe('2,000 of 2,000 done');
});

test('progress adds up', () => {
  const progress = new Map([
    ['a', { state: 'done', result: 1 }],
    ['b', { state: 'queued' }],
    ['c', { state: 'skipped' }],
  ] as const);
  expect(tally(progress)).toEqual({ done: 1, failed: 0, left: 1, open: 1 });
});

test('a stale version is not another object', () => {
  const details = [{ path: 'metadata.uid', message: 'is b' }];
  expect(isAnotherObject({ code: 'conflict', message: '', details })).toBe(true);
  expect(isAnotherObject({ code: 'conflict', message: '' })).toBe(false);
  expect(isAnotherObject({ code: 'invalid', message: '', details })).toBe(false);
});
