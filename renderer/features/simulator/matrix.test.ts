import { describe, expect, test } from 'vitest';
import { cellAfterKey, cellKey, cellWord, inBatches, matrixCsv, pairsOf, wouldChange, type Cell } from './matrix.ts';

test('pairs are ordered row by row, in batches', () => {
  const pairs = pairsOf(['a', 'b'], ['x', 'y', 'z']);
  expect(pairs.map(({ agent, tool }) => agent + tool)).toEqual(['ax', 'ay', 'az', 'bx', 'by', 'bz']);
  expect(inBatches(pairs, 4).map(({ length }) => length)).toEqual([4, 2]);
});

test.each<[Cell | undefined, string]>([
  [undefined, ''],
  [{ verdict: 'allow', message: '' }, 'allow'],
  [{ verdict: 'approval_required', message: '' }, 'ask'],
  [{ verdict: 'deny', code: 'permission_denied', message: '' }, 'deny'],
  [{ verdict: 'deny', code: 'unsupported_tool', message: '' }, 'not listed'],
  [{ failed: 'no answer' }, 'failed'],
])('the cell %j reads %j', (cell, word) => expect(cellWord(cell)).toBe(word));

test('the CSV quotes text that a spreadsheet would interpret', () => {
  const now = new Map<string, Cell>([[cellKey('=a', 'x,y'), { verdict: 'allow', message: '' }]]);
  expect(matrixCsv(['=a'], ['x,y'], { now, then: new Map() })).toBe(`agent,"x,y"\r\n'=a,allow\r\n`);
});

test.each<[Cell | undefined, Cell | undefined, boolean]>([
  [{ verdict: 'allow', message: '' }, { verdict: 'deny', message: '' }, true],
  [{ verdict: 'deny', message: '' }, { verdict: 'deny', code: 'unsupported_tool', message: '' }, true],
  [{ verdict: 'deny', message: 'a' }, { verdict: 'deny', message: 'b' }, false],
  [{ verdict: 'allow', message: '' }, undefined, false],
  [{ failed: 'no answer' }, { verdict: 'deny', message: '' }, false],
])('from %j to %j a cell changes: %s', (now, then, expected) => expect(wouldChange(now, then)).toBe(expected));

test('the CSV includes the verdict after a change', () => {
  const now = new Map<string, Cell>([[cellKey('a', 'x'), { verdict: 'allow', message: '' }]]);
  const then = new Map<string, Cell>([[cellKey('a', 'x'), { verdict: 'deny', message: '' }]]);
  expect(matrixCsv(['a'], ['x'], { now, then })).toBe('agent,x\r\na,"allow, would be deny"\r\n');
});

describe('keys in the grid', () => {
  const size = { rows: 2, columns: 3 };
  test('move within the grid', () => {
    expect(cellAfterKey('ArrowRight', { row: 0, column: 2 }, size)).toEqual({ row: 0, column: 2 });
    expect(cellAfterKey('ArrowDown', { row: 0, column: 1 }, size)).toEqual({ row: 1, column: 1 });
    expect(cellAfterKey('End', { row: 1, column: 0 }, size)).toEqual({ row: 1, column: 2 });
  });
  test('outside the grid keys are ignored', () => expect(cellAfterKey('Tab', { row: 0, column: 0 }, size)).toBeUndefined());
});
