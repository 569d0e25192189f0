// The last dropped file is shown when several are read at the same time.
import { act, fireEvent, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderAt } from '../../../testing/render-at.tsx';
import { writeTraceFile } from '../file/trace-file.ts';
import { TraceFiles } from './TraceFiles.tsx';

interface Read {
  readonly end: () => void;
  readonly fail: (error: unknown) => void;
}

/** Chooses a file; the test ends its reading. */
async function choose(name: string): Promise<Read> {
  const text = writeTraceFile({ exported_at: '2026-01-01T00:00:00.000Z', task: { namespace: 'ops', name }, complete: true, entries: [] });
  const file = new File([text], name);
  const read = new Promise<Read>((resolve) => {
    file.text = () => new Promise((end, fail) => resolve({ end: () => end(text), fail }));
  });
  fireEvent.change(screen.getByLabelText('Trace file'), { target: { files: [file] } });
  return read;
}

test('late results of an earlier file are not shown', async () => {
  await renderAt('/n/ops/tasks', () => <TraceFiles>Page</TraceFiles>);
  const zero = await choose('zero');
  const one = await choose('one');
  const two = await choose('two');
  act(two.end);
  expect(await screen.findByRole('heading', { name: 'two' })).toBeDefined();
  for (const late of [() => one.fail(new Error('cut off')), zero.end]) {
    await act(async () => {
      late();
      await new Promise((resolve) => setTimeout(resolve));
    });
    expect(screen.queryByRole('heading', { name: 'two' })).not.toBeNull();
    expect(screen.queryByRole('alert')).toBeNull();
  }
});
