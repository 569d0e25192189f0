// The panel of a selection of several items.
import { fireEvent, render, screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { SelectionInspector } from './SelectionInspector.tsx';

const actions = () => ({ copy: vi.fn(async () => undefined), remove: vi.fn() });
const selection = { nodes: ['planner', 'writer'], edges: ['planner→writer'] };

describe('SelectionInspector', () => {
  it('offers the commands for all selected items', () => {
    const does = actions();
    render(<SelectionInspector selection={selection} onSelect={vi.fn()} actions={does} readOnly={false} />);
    expect(screen.getByRole('heading', { level: 2 }).textContent).toBe('2 agents and 1 connection');
    fireEvent.click(screen.getByRole('button', { name: 'Copy as YAML' }));
    fireEvent.click(screen.getByRole('button', { name: 'Remove' }));
    expect(does.copy).toHaveBeenCalledOnce();
    expect(does.remove).toHaveBeenCalledOnce();
  });

  it('selects one agent of its list', () => {
    const onSelect = vi.fn();
    render(<SelectionInspector selection={selection} onSelect={onSelect} actions={actions()} readOnly={false} />);
    fireEvent.click(screen.getByRole('button', { name: 'writer' }));
    expect(onSelect).toHaveBeenCalledWith({ nodes: ['writer'], edges: [] });
  });

  it('removes nothing for readers, and copies no connections alone', () => {
    render(<SelectionInspector selection={{ nodes: [], edges: ['a→b', 'b→c'] }} onSelect={vi.fn()} actions={actions()} readOnly />);
    expect(screen.queryAllByRole('button')).toEqual([]);
  });
});
