// The form of a new model.
import { fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { serve } from '../../../testing/fake-link.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { ModelDialog, type NewModel } from './ModelDialog.tsx';
import { VENDORS } from './vendors.ts';

test('a key gets a free name, and texts of fields that another provider has are not sent', async () => {
  serve({ server: { hello: () => ({ time: new Date().toISOString(), identity: { role: 'writer' } }) } });
  const onMade = vi.fn<(model: NewModel) => void>();
  const first = VENDORS.find(({ provider }) => provider === 'gateway-a');
  await renderAt('/n/ops/agent-systems/desk', () => (
    <ModelDialog open first={first} namespace="ops" taken={[]} secrets={['small-key', 'small-key-2']} onMade={onMade} onClose={vi.fn()} />
  ));
  const write = (label: string, value: string) => fireEvent.change(screen.getByRole('textbox', { name: label }), { target: { value } });
  const choose = (provider: string) => fireEvent.click(screen.getByText(provider));
  const use = () => fireEvent.click(screen.getByRole('button', { name: 'Use this model' }));
  write('Model', 'small');
  write('Address', 'https://models.example.com');
  fireEvent.change(screen.getByLabelText(/^API key/), { target: { value: 'sk-1' } });
  use();
  choose('local-runtime');
  use();
  choose('mock');
  use();
  expect(onMade.mock.calls).toMatchObject([
    [{ name: 'small', spec: { auth: { secretRef: 'small-key-3' } }, secret: { name: 'small-key-3', value: 'sk-1' } }],
    [{ name: 'small', spec: { provider: 'local-runtime', default_model: 'small', base_url: 'https://models.example.com' } }],
    [{ name: 'mock', spec: { provider: 'mock' } }],
  ]);
});
