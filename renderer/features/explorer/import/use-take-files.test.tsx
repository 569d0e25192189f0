// Files that are chosen, dropped or pasted for an import.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { serve } from '../../../testing/fake-link.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { takeBundle } from '../../bundles/model/bundle-file.ts';
import { DropZone } from './DropZone.tsx';

async function choose(...files: readonly File[]) {
  serve({});
  const onRead = vi.fn();
  const { address } = await renderAt('/n/ops/import', () => <DropZone large onRead={onRead} />);
  await userEvent.upload(document.querySelector('input')!, [...files]);
  return { onRead, address };
}

const bundle = () => new File(['kind: Bundle'], 'desk.svcbundle');

test('one bundle opens the page that imports it', async () => {
  const { onRead, address } = await choose(bundle());
  await waitFor(() => expect(address()).toBe('/n/ops/bundle'));
  expect(takeBundle()).toEqual({ name: 'desk.svcbundle', text: 'kind: Bundle' });
  expect(onRead).not.toHaveBeenCalled();
});

test('a bundle among other files is refused with the page to use', async () => {
  const { onRead } = await choose(bundle(), new File(['kind: Agent'], 'a.yaml'));
  await waitFor(() => expect(onRead).toHaveBeenCalledOnce());
  expect(onRead.mock.calls[0]?.[0]).toEqual({
    sources: [{ name: 'a.yaml', text: 'kind: Agent' }],
    refused: ['desk.svcbundle is a bundle: choose “Import a bundle” for it.'],
  });
});

test('text pasted into an editor of the page stays in that editor', async () => {
  serve({});
  const onRead = vi.fn();
  await renderAt('/n/ops/import', () => (
    <>
      <DropZone onRead={onRead} />
      <div contentEditable="true" suppressContentEditableWarning>
        kind: Agent
      </div>
    </>
  ));
  fireEvent.paste(screen.getByText('kind: Agent'), { clipboardData: { getData: () => 'name: a', files: [] } });
  expect(onRead).not.toHaveBeenCalled();
  fireEvent.paste(document.body, { clipboardData: { getData: () => 'name: a', files: [] } });
  expect(onRead).toHaveBeenCalledWith({ sources: [{ name: 'Pasted text', text: 'name: a' }], refused: [] });
});
