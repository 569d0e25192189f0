// The promise about values of Secrets follows the server's capability.
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { serve } from '../../../testing/fake-link.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { ValueStorage } from './ValueStorage.tsx';

test.each([
  [true, 'Values are stored encrypted.'],
  [false, 'Values are stored unencrypted: this server has no --secret-encryption-key.'],
])('encryption that is %s is named', async (enabled, sentence) => {
  const source = '--secret-encryption-key';
  serve({ server: { capabilities: () => [{ id: 'secret-encryption', enabled, description: '', source }] } });
  await renderAt('/', () => (
    <p>
      <ValueStorage />
    </p>
  ));
  expect(await screen.findByText(/stored/)).toHaveProperty('textContent', sentence);
});
