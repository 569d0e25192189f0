import { expect, test } from 'vitest';
import { kindTable } from '../../kinds/kind-table.ts';
import { hasLifecycle, isKnownPhase, phaseLook } from './phases.ts';

test('every phase of every kind has its label', () => {
  const missing = kindTable.flatMap((kind) => kind.phases.filter((phase) => !isKnownPhase(phase)).map((phase) => `${kind.kind}: ${phase}`));
  expect(missing).toEqual([]);
});

test('a phase of a newer server shows as its own name', () => {
  expect(phaseLook('HalfDone')).toEqual({ label: 'Half done', tone: 'neutral', icon: 'unknown' });
  expect(phaseLook('constructor').label).toBe('Constructor');
  expect(phaseLook(undefined).label).toBe('Unknown');
});

test('a pending approval waits for a person, a pending task for a worker', () => {
  expect(phaseLook('Pending', 'ToolApproval').tone).toBe('waiting');
  expect(phaseLook('Pending', 'Task').tone).toBe('neutral');
});

test('only running pulses: no other phase shares its icon', () => {
  const phases = [...new Set(kindTable.flatMap((kind) => kind.phases))];
  expect(phases.filter((phase) => phaseLook(phase).icon === 'running')).toEqual(['Running']);
});

test('a kind of one phase shows no phase', () => {
  expect([hasLifecycle(['Pending']), hasLifecycle(['Pending', 'Ready'])]).toEqual([false, true]);
});
