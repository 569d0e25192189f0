// Suspension with a reason over a fake server, and the reason on the page.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { kindNamed } from '../../kinds/kind-table.ts';
import type { KindSummary } from '../../kinds/kind-summary.ts';
import { serve } from '../../testing/fake-link.ts';
import { objectOf } from '../../testing/fake-objects.ts';
import { renderAt } from '../../testing/render-at.tsx';
import { ObjectHeader } from './object/ObjectHeader.tsx';
import { useObjectActions } from './parts/use-object-actions.tsx';

const kind = kindNamed('TaskSchedule') as KindSummary;
const REASON = 'svc.dev/suspend-reason';

async function page(spec: object, annotations: Record<string, string> = {}) {
  const write = vi.fn((_input: unknown) => ({ resource: objectOf('TaskSchedule', 'nightly', { spec }) }));
  serve({ server: { hello: () => ({ time: new Date().toISOString(), identity: { role: 'writer' } }) }, resources: { write } });
  const resource = objectOf('TaskSchedule', 'nightly', { spec, annotations });
  await renderAt('/n/ops/task-schedules/nightly', function Page() {
    const actions = useObjectActions({ kind, scope: 'ops' });
    return (
      <>
        <ObjectHeader kind={kind} resource={resource} scope="ops" actions={actions} onEdit={() => undefined} />
        {actions.dialogs}
      </>
    );
  });
  const press = async (name: string) => {
    const button = await screen.findByRole('button', { name });
    await waitFor(() => expect(button.matches(':disabled, [aria-disabled="true"]')).toBe(false));
    fireEvent.click(button);
  };
  return { write, press };
}

test('a suspension keeps its reason as an annotation', async () => {
  const { write, press } = await page({});
  await press('Suspend');
  fireEvent.change(await screen.findByLabelText('Reason'), { target: { value: ' Invoices are migrated ' } });
  await press('Suspend');
  await waitFor(() => expect(write).toHaveBeenCalledOnce());
  expect(write.mock.calls[0]?.[0]).toMatchObject({
    mode: 'patch',
    body: { spec: { suspend: true }, metadata: { annotations: { [REASON]: 'Invoices are migrated' } } },
  });
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('the page shows the reason, and the end of the suspension removes it', async () => {
  const { write, press } = await page({ suspend: true }, { [REASON]: 'Invoices are migrated' });
  expect(await screen.findByText('Invoices are migrated')).toBeDefined();
  await press('Resume');
  await waitFor(() => expect(write).toHaveBeenCalledOnce());
  expect(write.mock.calls[0]?.[0]).toMatchObject({ body: { spec: { suspend: false }, metadata: { annotations: { [REASON]: null } } } });
});
