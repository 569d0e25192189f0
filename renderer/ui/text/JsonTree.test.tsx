import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { giveLayout } from '../../testing/layout.ts';
import { JsonTree } from './JsonTree.tsx';

giveLayout();

test('items are named by key and value, lists and objects by their size', () => {
  render(<JsonTree label="Input" value={{ ids: [1044], reason: 'duplicate', none: {} }} openDepth={2} />);
  for (const name of ['3 fields', /^ids\s?: 1 item$/, /^0\s?: 1044$/, /^reason\s?: "duplicate"$/, /^none\s?: 0 fields$/])
    expect(screen.getByRole('treeitem', { name })).toBeDefined();
});
