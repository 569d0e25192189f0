import { fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { serve } from '../../../testing/fake-link.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { RelatedGroups } from './RelatedGroups.tsx';

const related = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...{ kind: 'Task', namespace: 'ops', name: `run-${index}` },
    ...{ paths: ['spec.system'], exists: true },
  }));
const show = async (count: number) => {
  serve({});
  await renderAt('/n/ops/agents', () => <RelatedGroups items={related(count)} home="ops" />);
};

test('many objects of a kind are folded', async () => {
  await show(40);
  expect(screen.getAllByRole('link')).toHaveLength(12);
  fireEvent.click(screen.getByRole('button', { name: 'Show all 40' }));
  expect(screen.getAllByRole('link')).toHaveLength(40);
});

test('one more than the shown ones is not folded', async () => {
  await show(13);
  expect(screen.getAllByRole('link')).toHaveLength(13);
  expect(screen.queryByRole('button')).toBeNull();
});

test('a group with further pages has one button for unfolding and loading', async () => {
  serve({});
  const load = vi.fn();
  await renderAt('/n/ops/agents', () => <RelatedGroups items={related(40)} home="ops" more={{ busy: false, load }} />);
  fireEvent.click(screen.getByRole('button', { name: 'Show more' }));
  expect(screen.getAllByRole('link')).toHaveLength(40);
  expect(load).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole('button', { name: 'Show more' }));
  expect(load).toHaveBeenCalledOnce();
});
