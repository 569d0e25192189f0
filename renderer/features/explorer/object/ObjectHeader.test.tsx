// Labels in the head of an object.
import { act, fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { kindNamed } from '../../../kinds/kind-table.ts';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { objectOf } from '../../../testing/fake-objects.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { ObjectHeader } from './ObjectHeader.tsx';

const labelsOf = (keys: string) => Object.fromEntries([...keys].map((key) => [key, 'yes']));

test('the button that shows all labels passes its focus on, and later labels take none', async () => {
  let setKeys: (keys: string) => void = () => undefined;
  const kind = kindNamed('Agent') as KindSummary;
  function Part() {
    const [keys, set] = useState('bcdefghijklm');
    setKeys = set;
    const resource = objectOf('Agent', 'a', { labels: labelsOf(keys) });
    return <ObjectHeader kind={kind} resource={resource} scope="ops" actions={undefined} onEdit={() => undefined} />;
  }
  await renderAt('/', () => <Part />);
  fireEvent.click(screen.getByRole('button', { name: 'Show all 12 labels' }));
  expect(document.activeElement?.textContent).toBe('j=yes');
  screen.getByRole('link', { name: 'm=yes' }).focus();
  act(() => setKeys('abcdefghijklm'));
  expect(document.activeElement?.textContent).toBe('m=yes');
});
