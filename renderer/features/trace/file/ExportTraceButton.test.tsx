// The export of a trace, over a server that answers in pages.
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { serve } from '../../../testing/fake-link.ts';
import { ExportTraceButton } from './ExportTraceButton.tsx';

test('asks for each page of the run on the screen, not of a later one of its name', async () => {
  const asked: unknown[] = [];
  serve({
    runs: {
      trace: (input) => {
        asked.push(input);
        return { name: 'job', namespace: 'default', items: [], ...(input.after === undefined && { continue: '1.0' }) };
      },
    },
  });
  render(<ExportTraceButton run={{ namespace: 'default', name: 'job', uid: 'first' }} />);
  await userEvent.click(screen.getByRole('button', { name: 'Export the trace as JSON' }));
  const run = { namespace: 'default', name: 'job', uid: 'first' };
  await vi.waitFor(() => expect(asked).toEqual([run, { ...run, after: '1.0' }]), { timeout: 20_000 });
});
