// The review of a system with its drafts.
import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { objectOf } from '../../../testing/fake-objects.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { newDraft } from '../document/drafts.ts';
import { SystemApplyDialog } from './SystemApplyDialog.tsx';

test('a new Secret whose name is taken is not merged, which would show its value', async () => {
  const object = newDraft({ kind: 'Secret', namespace: 'ops', name: 'small-key' }, { stringData: { value: 'sk-1' } });
  const overtaken = [{ object, theirs: objectOf('Secret', 'small-key', { spec: { data: { value: '***' } } }) }];
  const reviewed = { objects: [object], results: new Map(), problems: [], overtaken, failure: undefined, unsure: false };
  const idle = { review: vi.fn(), write: vi.fn(), merge: vi.fn(), back: vi.fn(), applyNow: vi.fn() };
  await renderAt('/n/ops/agent-systems/desk', () => (
    <SystemApplyDialog systemApply={{ ...idle, state: { step: 'review', reviewed } }} disabledReason={undefined} />
  ));
  expect(screen.getByText(/There is already a Secret small-key/)).toBeDefined();
  expect(document.body.textContent).not.toContain('sk-1');
});
