import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { describe, expect, test } from 'vitest';
import decided from '../fixtures/invoice-decided.json';
import doomed from '../fixtures/doomed.json';
import report from '../fixtures/report-q3.json';
import { choicesOf, NO_FILTER, traceRows, type RowFilter, type RowOptions } from './rows.ts';
import { SpanFold } from '../model/spans.ts';

function names(entries: unknown, options: Partial<Omit<RowOptions, 'filter'>> & { readonly filter?: Partial<RowFilter> } = {}): string[] {
  const fold = new SpanFold();
  fold.append(entries as TraceEntry[]);
  const { filter, ...rest } = options;
  const rows = traceRows(fold, { grouping: 'nested', detail: 'calls', folded: new Set(), ...rest, filter: { ...NO_FILTER, ...filter } });
  return rows.map((row) => `${row.level} ${row.type === 'lane' ? `lane ${row.name}` : row.span.name}${row.dimmed ? ' (dim)' : ''}`);
}

describe('rows', () => {
  test('are nested, without a row for the only attempt', () => expect(names(doomed)).toEqual(['1 Task', '2 flaky', '3 Model']));
  test('show only agents at the lowest detail, and handovers at the highest', () => {
    expect(names(report, { detail: 'less' })).toEqual(['1 Task', '2 collector', '2 market', '2 risk', '2 editor', '2 Review']);
    expect(names(report, { detail: 'more' })).toContain('3 → market');
  });
  test('below a hidden span move up', () =>
    expect(names(decided, { detail: 'less' })).toEqual(['1 Task', '2 triage', '2 billing', '3 Approval']));
  test('below a folded row are hidden', () => expect(names(doomed, { folded: new Set(['turn-2']) })).toEqual(['1 Task', '2 flaky']));
});

describe('lanes', () => {
  test('group the turns of each agent', () =>
    expect(names(report, { grouping: 'agent', detail: 'less' })).toEqual([
      '1 lane collector',
      '2 collector',
      '1 lane market',
      '2 market',
      '1 lane risk',
      '2 risk',
      '1 lane editor',
      '2 editor',
      '2 Review',
    ]));
  test('group branches in their order', () =>
    expect(names(report, { grouping: 'branch', detail: 'less', folded: new Set() }).filter((line) => line.includes('lane'))).toEqual([
      '1 lane b001',
      '1 lane b001.001',
      '1 lane b001.002',
    ]));
});

describe('filters', () => {
  test('keep matches and show their ancestors dimmed', () =>
    expect(names(doomed, { filter: { failed: true } })).toEqual(['1 Task (dim)', '2 flaky', '3 Model']));
  test('by tool keep that tool’s calls', () =>
    expect(names(decided, { filter: { tool: 'invoice-delete' } })).toEqual(['1 Task (dim)', '2 billing (dim)', '3 invoice-delete']));
  test('by branch include the branches that split off from it', () =>
    expect(names(report, { detail: 'less', filter: { branch: 'b001.001' } })).toEqual(['1 Task (dim)', '2 market']));
  test('by text match names and ids', () =>
    expect(names(report, { filter: { text: 'LEDGER' } })).toEqual(['1 Task (dim)', '2 collector (dim)', '3 ledger-search']));
  test('without a match leave nothing', () => expect(names(doomed, { filter: { text: 'nowhere' } })).toEqual([]));
});

test('choices of the filters come from the trace', () => {
  const fold = new SpanFold();
  fold.append(decided as TraceEntry[]);
  expect(choicesOf(fold.spans)).toEqual({ agents: ['billing', 'triage'], tools: ['invoice-delete', 'ledger-search'], branches: ['b001'] });
});
