// The table in a simulated DOM.
import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { giveLayout } from '../../testing/layout.ts';
import { DataTable, type DataTableProps } from './DataTable.tsx';
import { NavigationContext } from '../link/navigation.ts';

interface Row {
  readonly name: string;
  readonly age: number;
}

const rowsOf = (count: number): Row[] => Array.from({ length: count }, (_, index) => ({ name: `row-${index}`, age: index }));
const COLUMNS = [
  { id: 'name', title: 'Name', sort: true, cell: (row: Row) => row.name },
  { id: 'age', title: 'Age', cell: (row: Row) => row.age },
];

giveLayout();

function Table(props: Partial<DataTableProps<Row>>) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  return (
    <DataTable
      label="Tasks"
      rows={rowsOf(100)}
      rowKey={(row) => row.name}
      columns={COLUMNS}
      selection={{ selected, onChange: setSelected }}
      {...props}
    />
  );
}

const rowNamed = (name: string) => screen.getByText(name).closest('[role="row"]') as HTMLElement;
const selectedNames = () =>
  screen
    .getAllByRole('row')
    .filter((row) => row.getAttribute('aria-selected') === 'true')
    .map((row) => within(row).getByRole('rowheader').textContent);

test('ten thousand rows render only the visible ones, and all are counted', () => {
  render(<Table rows={rowsOf(10_000)} />);
  expect(screen.getByRole('grid', { name: 'Tasks' }).getAttribute('aria-rowcount')).toBe('10001');
  const shown = screen.getAllByRole('row').length;
  expect([shown > 15, shown < 60]).toEqual([true, true]);
});

test.each([
  { rows: 300, total: undefined, more: false, says: undefined },
  { rows: 300, total: 900, more: true, says: 'The first 300 of 900 rows are printed.' },
  { rows: 300, total: undefined, more: true, says: 'The first 300 rows are printed. There are more.' },
  { rows: 2_100, total: undefined, more: false, says: 'The first 2,000 of 2,100 rows are printed.' },
])('prints the loaded rows of $rows ($total, $more)', ({ rows, total, more, says }) => {
  render(<Table rows={rowsOf(rows)} totalCount={total} {...(more && { onLoadMore: () => undefined })} />);
  const shown = screen.getAllByRole('row', { hidden: true }).length;
  fireEvent(window, new Event('beforeprint'));
  expect(document.querySelectorAll('[data-printed-rows] > [data-index]')).toHaveLength(Math.min(rows, 2_000));
  expect(screen.queryByText(/printed/)?.textContent).toBe(says);
  fireEvent(window, new Event('afterprint'));
  expect(screen.getAllByRole('row', { hidden: true })).toHaveLength(shown);
  expect(screen.queryByText(/printed/)).toBeNull();
});

test('J moves down, Enter opens, X selects, Shift-X selects up to here', async () => {
  const onOpen = vi.fn();
  render(<Table onOpen={onOpen} />);
  const grid = screen.getByRole('grid');
  fireEvent.keyDown(grid, { key: 'j' });
  await waitFor(() => expect(document.activeElement).toBe(rowNamed('row-1')));
  fireEvent.keyDown(rowNamed('row-1'), { key: 'Enter' });
  expect(onOpen).toHaveBeenCalledWith({ name: 'row-1', age: 1 });
  fireEvent.keyDown(rowNamed('row-1'), { key: 'x' });
  fireEvent.keyDown(grid, { key: 'ArrowDown' });
  fireEvent.keyDown(grid, { key: 'ArrowDown' });
  fireEvent.keyDown(grid, { key: 'X', shiftKey: true });
  expect(selectedNames()).toEqual(['row-1', 'row-2', 'row-3']);
});

test('Enter right behind the first J opens the row, whether a frame was drawn in between or not', () => {
  const onOpen = vi.fn();
  render(<Table onOpen={onOpen} />);
  fireEvent.keyDown(document.body, { key: 'j' });
  fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Enter' });
  expect(onOpen).toHaveBeenCalledWith({ name: 'row-0', age: 0 });
});

test('rows inserted above do not move the active row', async () => {
  const onOpen = vi.fn();
  const { rerender } = render(<Table onOpen={onOpen} />);
  const grid = screen.getByRole('grid');
  fireEvent.keyDown(grid, { key: 'j' });
  await waitFor(() => expect(document.activeElement).toBe(rowNamed('row-1')));
  fireEvent.keyDown(grid, { key: 'x' });
  rerender(<Table onOpen={onOpen} rows={[{ name: 'new', age: 0 }, ...rowsOf(100)]} />);
  fireEvent.keyDown(grid, { key: 'Enter' });
  expect(onOpen).toHaveBeenCalledWith({ name: 'row-1', age: 1 });
  fireEvent.keyDown(grid, { key: 'j' });
  fireEvent.keyDown(grid, { key: 'X', shiftKey: true });
  expect(selectedNames()).toEqual(['row-1', 'row-2']);
  rerender(<Table onOpen={onOpen} rows={rowsOf(2)} />);
  fireEvent.keyDown(grid, { key: 'Enter' });
  expect(onOpen).toHaveBeenLastCalledWith({ name: 'row-1', age: 1 });
});

test('the focused row keeps the focus wherever the table is scrolled', async () => {
  render(<Table rows={rowsOf(1_000)} />);
  const grid = screen.getByRole('grid');
  fireEvent.keyDown(grid, { key: 'j' });
  await waitFor(() => expect(document.activeElement).toBe(rowNamed('row-1')));
  grid.scrollTop = 20_000;
  fireEvent.scroll(grid);
  await waitFor(() => expect(screen.queryByText('row-8')).toBeNull());
  expect(document.activeElement).toBe(rowNamed('row-1'));
});

test('a focused row that is removed passes the focus to its successor, the last one to the table', async () => {
  const rows = rowsOf(3);
  const { rerender } = render(<Table rows={rows} />);
  fireEvent.keyDown(screen.getByRole('grid'), { key: 'j' });
  await waitFor(() => expect(document.activeElement).toBe(rowNamed('row-1')));
  rerender(<Table rows={rows.filter(({ age }) => age !== 1)} />);
  expect(document.activeElement).toBe(rowNamed('row-2'));
  rerender(<Table rows={[]} />);
  expect(document.activeElement).toBe(screen.getByRole('grid'));
});

test('removed rows take no focus from elsewhere', async () => {
  const rows = rowsOf(3);
  const { rerender } = render(<Table rows={rows} />);
  fireEvent.keyDown(screen.getByRole('grid'), { key: 'j' });
  await waitFor(() => expect(document.activeElement).toBe(rowNamed('row-1')));
  act(() => rowNamed('row-1').blur());
  await Promise.resolve();
  rerender(<Table rows={rows.filter(({ age }) => age !== 1)} />);
  expect(document.activeElement).toBe(document.body);
});

test('visible rows stay visible when rows become lower', async () => {
  render(<Table rows={rowsOf(1_000)} />);
  const grid = screen.getByRole('grid');
  grid.scrollTop = 500 * 36;
  document.documentElement.dataset.density = 'compact';
  await waitFor(() => expect(grid.scrollTop).toBe(500 * 28));
  delete document.documentElement.dataset.density;
});

test('Back restores the table with the focus at its row; a new visit does not', async () => {
  let entry = { key: 'first', pathname: '/n/default/tasks' };
  const visit = () =>
    render(
      <NavigationContext value={{ go: () => undefined, entry: () => entry }}>
        <Table rows={rowsOf(1_000)} />
      </NavigationContext>,
    );
  const first = visit();
  const grid = screen.getByRole('grid');
  grid.scrollTop = 3_600;
  fireEvent.scroll(grid);
  fireEvent.focus(await screen.findByText('row-103'));
  entry = { key: 'second', pathname: '/n/default/tasks/row-103' };
  first.unmount();
  entry = { key: 'third', pathname: '/n/default/tasks' };
  const fresh = visit();
  expect(screen.getByRole('grid').scrollTop).toBe(0);
  fresh.unmount();
  entry = { key: 'first', pathname: '/n/default/tasks' };
  visit();
  await waitFor(() => expect(document.activeElement).toBe(rowNamed('row-103')));
  expect(screen.getByRole('grid').scrollTop).toBe(3_600);
});

test('the box in the head selects the loaded rows, and shows a partial selection', () => {
  render(<Table rows={rowsOf(3)} />);
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select row-1' }));
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select all loaded rows' }).indeterminate).toBe(true);
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select all loaded rows' }));
  expect(selectedNames()).toHaveLength(3);
});

test('a click on the head requests another order', () => {
  const onSort = vi.fn();
  render(<Table sort={{ column: 'name', direction: 'asc' }} onSort={onSort} />);
  expect(screen.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe('ascending');
  fireEvent.click(screen.getByRole('button', { name: 'Name' }));
  expect(onSort).toHaveBeenCalledWith({ column: 'name', direction: 'desc' });
});

test('near the end more rows are requested, once for each end', () => {
  const onLoadMore = vi.fn();
  const rows = rowsOf(20);
  const { rerender } = render(<Table rows={rows} onLoadMore={onLoadMore} />);
  rerender(<Table rows={rows} onLoadMore={onLoadMore} loadingMore />);
  rerender(<Table rows={rows} onLoadMore={onLoadMore} />);
  expect(onLoadMore).toHaveBeenCalledTimes(1);
  rerender(<Table rows={rowsOf(30)} onLoadMore={onLoadMore} />);
  expect(onLoadMore).toHaveBeenCalledTimes(2);
});

test('a table without rows gives the reason; while loading it shows placeholders', () => {
  const { rerender } = render(<Table rows={[]} empty={<p>No tasks yet</p>} />);
  expect(screen.getByText('No tasks yet')).toBeTruthy();
  rerender(<Table rows={[]} loading empty={<p>No tasks yet</p>} />);
  expect(screen.queryByText('No tasks yet')).toBeNull();
  expect(screen.getByRole('grid').getAttribute('aria-busy')).toBe('true');
});
