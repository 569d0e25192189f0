// Labels of a route by keyboard alone.
import { fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { LabelsEditor } from './LabelsEditor.tsx';

function Labels() {
  const [labels, setLabels] = useState<Readonly<Record<string, string>>>({});
  return (
    <>
      <LabelsEditor labels={labels} onChange={setLabels} disabled={false} />
      <output>{JSON.stringify(labels)}</output>
    </>
  );
}

function typeName(name: string): HTMLElement {
  fireEvent.click(screen.getByRole('button', { name: 'Label' }));
  const field = screen.getByRole('textbox', { name: 'New label' });
  fireEvent.change(field, { target: { value: name } });
  return field;
}

test.each(['Enter', 'Tab'])('%s moves from the name of a new label to its value', (key) => {
  render(<Labels />);
  fireEvent.keyDown(typeName('route'), { key });
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Value of route' }));
});

test('Escape discards a new label and returns to its button', () => {
  render(<Labels />);
  fireEvent.keyDown(typeName('route'), { key: 'Escape' });
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Label' }));
  expect(screen.getByRole('status').textContent).toBe('{}');
});
