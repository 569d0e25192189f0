// Focus returns to the opener of a dialog, or to its container when the opener was removed.
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { Dialog } from './Dialog.tsx';

/** A row with a button that deletes it: one dialog asks for confirmation, another reports the deletion. */
function List() {
  const [step, setStep] = useState<'asks' | 'tells'>();
  const [there, setThere] = useState(true);
  const remove = () => {
    setThere(false);
    setStep('tells');
  };
  return (
    <section aria-label="List" tabIndex={-1}>
      {there && <button onClick={() => setStep('asks')}>Delete</button>}
      {step === 'asks' && (
        <Dialog key="asks" open onClose={() => setStep(undefined)} title="Sure?">
          <button data-autofocus onClick={remove}>
            Yes
          </button>
        </Dialog>
      )}
      {step === 'tells' && <Dialog key="tells" open onClose={() => setStep(undefined)} title="Deleted" />}
    </section>
  );
}

test('a closed dialog returns the focus to its opener, or to the region of a removed opener', async () => {
  render(<List />);
  const opener = screen.getByRole('button', { name: 'Delete' });
  opener.focus();
  fireEvent.click(opener);
  fireEvent.click(await screen.findByRole('button', { name: 'Close' }));
  await waitFor(() => expect(document.activeElement).toBe(opener));
  fireEvent.click(opener);
  const yes = await screen.findByRole('button', { name: 'Yes' });
  await waitFor(() => expect(document.activeElement).toBe(yes));
  fireEvent.click(yes);
  fireEvent.click(await screen.findByRole('button', { name: 'Close' }));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('region', { name: 'List' })));
});
