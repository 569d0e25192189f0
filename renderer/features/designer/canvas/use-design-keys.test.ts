// Selection of what Tab leads to.
import { expect, test, vi } from 'vitest';
import { selectFocused } from './use-design-keys.ts';

function press(key: string, className: string, selection: { readonly nodes: readonly string[]; readonly edges: readonly string[] }) {
  const target = document.createElement('div');
  target.className = className;
  target.setAttribute('data-id', 'b');
  const select = vi.fn();
  selectFocused({ key, target } as never, { design: { selection, select } } as never);
  return select.mock.lastCall?.[0] as unknown;
}

test('Tab selects the agent or connection that it leads to', () => {
  const selection = { nodes: ['a'], edges: [] };
  expect(press('Tab', 'react-flow__node', selection)).toEqual({ nodes: ['b'], edges: [] });
  expect(press('Tab', 'react-flow__edge', selection)).toEqual({ nodes: [], edges: ['b'] });
});

test('Tab keeps a selection that has the agent, and other keys select nothing', () => {
  expect(press('Tab', 'react-flow__node', { nodes: ['a', 'b'], edges: [] })).toBeUndefined();
  expect(press('Enter', 'react-flow__node', { nodes: ['a'], edges: [] })).toBeUndefined();
  expect(press('Tab', 'button', { nodes: ['a'], edges: [] })).toBeUndefined();
});
