import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { serve } from '../../testing/fake-link.ts';
import { renderAt } from '../../testing/render-at.tsx';
import { WelcomePage } from './WelcomePage.tsx';

test('the namespace field of the tour keeps the focus while a person types', async () => {
  serve({});
  await renderAt('/welcome?ns=ops', WelcomePage);
  const field = await screen.findByLabelText<HTMLInputElement>('Namespace');
  await userEvent.clear(field);
  expect(screen.getByText('Enter a namespace.')).toBeDefined();
  await userEvent.keyboard('demo');
  expect(screen.getByLabelText<HTMLInputElement>('Namespace').value).toBe('demo');
});
