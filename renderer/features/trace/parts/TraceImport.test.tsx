// The last dropped file is shown when several are read at the same time.
import { act, fireEvent, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { TraceImport } from './TraceImport.tsx';

interface Read {
  readonly name: string;
  readonly progress: (read: number) => void;
  readonly end: (file: object) => void;
  readonly fail: (error: unknown) => void;
}

const reads = vi.hoisted((): Read[] => []);
vi.mock('../file/read-trace-file.ts', () => ({
  readTraceBlob: ({ name }: File, progress: (read: number) => void) =>
    new Promise((end, fail) => reads.push({ name, progress, end, fail })),
}));
vi.mock('../file/ImportedTrace.tsx', () => ({
  ImportedTrace: ({ file }: { readonly file: { readonly of: string } }) => <p>Trace of {file.of}</p>,
}));

async function choose(name: string): Promise<Read> {
  const before = reads.length;
  fireEvent.change(screen.getByLabelText('Trace file'), { target: { files: [new File([''], name)] } });
  await vi.waitFor(() => expect(reads.length).toBe(before + 1));
  const made = reads.at(-1);
  if (made?.name !== name) throw new Error('another file is read');
  return made;
}

test('late results of an earlier file are not shown', async () => {
  render(<TraceImport>Page</TraceImport>);
  const zero = await choose('zero');
  const one = await choose('one');
  const two = await choose('two');
  act(() => two.end({ of: 'two' }));
  await screen.findByText('Trace of two');
  for (const late of [() => one.progress(0.5), () => one.fail(new Error('cut off')), () => zero.end({ of: 'zero' })]) {
    await act(async () => {
      late();
      await Promise.resolve();
    });
    expect(screen.queryByText('Trace of two')).not.toBeNull();
    expect(screen.queryByRole('alert')).toBeNull();
  }
});
