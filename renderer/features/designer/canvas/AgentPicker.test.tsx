// Names typed before the agents of the namespace have arrived.
import { fireEvent, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { AgentPicker } from './AgentPicker.tsx';
import type { ListedAgent } from './use-agents.ts';

const TRIAGE: ListedAgent = { ref: 'triage', model: 'desk-model', tools: 0 };

function setup() {
  const onPick = vi.fn<(agents: readonly string[], unknown: readonly string[]) => void>();
  const picker = (agents: readonly ListedAgent[], loading: boolean) => (
    <AgentPicker picking={{ for: 'add' }} agents={agents} loading={loading} inSystem={[]} onPick={onPick} onClose={() => undefined} />
  );
  const { rerender } = render(picker([], true));
  const field = screen.getByRole('combobox', { name: 'Agent' });
  const write = (value: string) => fireEvent.change(field, { target: { value } });
  return { onPick, write, enter: () => fireEvent.keyDown(field, { key: 'Enter' }), arrive: () => rerender(picker([TRIAGE], false)) };
}

test('Enter before the agents arrive picks an existing agent, not a new one of its name', () => {
  const { onPick, write, enter, arrive } = setup();
  write('triage');
  expect(screen.queryByRole('option')).toBeNull();
  enter();
  expect(onPick).not.toHaveBeenCalled();
  arrive();
  expect(onPick.mock.calls).toEqual([[['triage'], []]]);
});

test('Enter before the agents arrive creates an agent that does not exist', () => {
  const { onPick, write, enter, arrive } = setup();
  write('night');
  enter();
  arrive();
  expect(onPick.mock.calls).toEqual([[['night'], ['night']]]);
});

test('Enter before the agents arrive picks nothing once the name was changed', () => {
  const { onPick, write, enter, arrive } = setup();
  write('triage');
  enter();
  write('tri');
  arrive();
  expect(onPick).not.toHaveBeenCalled();
});
