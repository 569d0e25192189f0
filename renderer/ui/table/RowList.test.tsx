// Keys of a list of rows.
import { fireEvent, render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { RowList } from './RowList.tsx';

const rows = (
  <main tabIndex={-1}>
    <RowList label="Fruit">
      {['apple', 'pear', 'plum'].map((name) => (
        <li key={name}>
          <button type="button">{name}</button>
          <input aria-label={`Note of ${name}`} />
        </li>
      ))}
    </RowList>
  </main>
);
const focused = () => document.activeElement?.textContent;
const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });

test('the first press on the page enters the list, and the next ones move through it', () => {
  render(rows);
  press('j');
  expect(focused()).toBe('apple');
  press('j');
  expect(focused()).toBe('pear');
  press('End');
  expect(focused()).toBe('plum');
  press('j');
  expect(focused()).toBe('plum');
  press('k');
  expect(focused()).toBe('pear');
});

test('a field in a row keeps its keys', () => {
  render(rows);
  screen.getByLabelText('Note of pear').focus();
  press('j');
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Note of pear');
});
