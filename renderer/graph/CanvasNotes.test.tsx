// Notes on the canvas, dragged by their bar.
import { fireEvent, render, screen } from '@testing-library/react';
import { ReactFlow } from '@xyflow/react';
import { expect, test, vi } from 'vitest';
import { CanvasNotes } from './CanvasNotes.tsx';

const NOTE = { id: '0', kind: 'note', text: 'Why', x: 10, y: 20, width: 200, height: 100 } as const;

async function setup() {
  const onChange = vi.fn();
  HTMLElement.prototype.setPointerCapture = vi.fn();
  render(
    <ReactFlow nodes={[]} edges={[]}>
      <CanvasNotes notes={[NOTE]} onChange={onChange} />
    </ReactFlow>,
  );
  const note = await screen.findByRole('region', { name: 'Note Why' });
  const bar = note.querySelector('header') as HTMLElement;
  const move = (clientX: number) => fireEvent.pointerMove(bar, { clientX, clientY: 0 });
  const press = (button: number) => fireEvent.pointerDown(bar, { button, clientX: 0, clientY: 0 });
  return { note, bar, move, press, onChange, x: () => /translate\((\d+)px/.exec(note.style.transform)?.[1] };
}

test('a note follows the main button until its release', async () => {
  const { bar, move, press, onChange, x } = await setup();
  press(0);
  move(30);
  expect(x()).toBe('40');
  fireEvent.pointerUp(bar, { clientX: 30, clientY: 0 });
  expect(onChange).toHaveBeenCalledWith('Move the note', [{ ...NOTE, x: 40 }]);
});

test('a note follows no other button, and no pointer that was taken away', async () => {
  const { bar, move, press, onChange, x } = await setup();
  press(2);
  move(30);
  expect(x()).toBe('10');
  press(0);
  move(30);
  fireEvent.pointerCancel(bar);
  move(60);
  expect(x()).toBe('10');
  expect(onChange).not.toHaveBeenCalled();
});
