// Undo of a design whose text others changed.
import { act, renderHook } from '@testing-library/react';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { NO_DRAFTS } from './drafts.ts';
import { useDesign } from './use-design.ts';

const system = (agents: string, label = '') => `kind: AgentSystem\nmetadata: { name: s${label} }\nspec: { agents: [${agents}] }\n`;

function setup() {
  return renderHook(() => {
    const [{ text, epoch }, setState] = useState({ text: system('a'), epoch: 0 });
    const setText = (next: string) => setState((before) => ({ ...before, text: next }));
    const design = useDesign({ text, setText, drafts: NO_DRAFTS, setDrafts: () => undefined, epoch });
    return { design, setState, setText };
  });
}

test('an undo stops at a merged concurrent change', () => {
  const { result } = setup();
  act(() => result.current.design.run('Add b', () => system('a, b')));
  const merged = system('a, b', ', labels: { team: other }');
  act(() => result.current.setState({ text: merged, epoch: 1 }));
  expect(result.current.design.canUndo).toBe(false);
  act(() => result.current.design.undo());
  expect(result.current.design.text).toBe(merged);
  act(() => result.current.design.run('Add c', () => system('a, b, c', ', labels: { team: other }')));
  act(() => result.current.design.undo());
  expect(result.current.design.text).toBe(merged);
});

test('an undo goes back beyond a loaded text of the same user', () => {
  const { result } = setup();
  act(() => result.current.setText(system('restored')));
  act(() => result.current.design.undo());
  expect(result.current.design.text).toBe(system('a'));
});
