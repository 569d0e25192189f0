// Focus returns to the opener of a dialog, or to its container when the opener was removed; and when a dialog closes.
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
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

/** A button that goes away some time after its dialog was answered. */
function Page() {
  const [open, setOpen] = useState(false);
  const [running, setRunning] = useState(true);
  const cancel = () => {
    setOpen(false);
    setTimeout(() => setRunning(false), 50);
  };
  return (
    <main tabIndex={-1}>
      {running && <button onClick={() => setOpen(true)}>Cancel</button>}
      <Dialog open={open} onClose={() => setOpen(false)} title="Sure?">
        <button data-autofocus onClick={cancel}>
          Yes
        </button>
      </Dialog>
    </main>
  );
}

test('focus stays in the page when the opener is removed after the dialog has closed', async () => {
  render(<Page />);
  const opener = screen.getByRole('button', { name: 'Cancel' });
  opener.focus();
  fireEvent.click(opener);
  fireEvent.click(await screen.findByRole('button', { name: 'Yes' }));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('main')));
});

test('a click outside closes a dialog until something was typed in it', async () => {
  const onClose = vi.fn();
  render(
    <Dialog open onClose={onClose} title="Run desk">
      <input type="search" aria-label="Search" />
      <input aria-label="Topic" />
    </Dialog>,
  );
  const outside = () => userEvent.click(document.querySelector('.bg-scrim') ?? document.body);
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Search')));
  // The library begins to listen a turn after it opened.
  await new Promise((resolve) => setTimeout(resolve, 20));
  fireEvent.input(screen.getByLabelText('Search'), { target: { value: 'x' } });
  await outside();
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  fireEvent.input(screen.getByLabelText('Topic'), { target: { value: 'tides' } });
  await outside();
  fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' });
  await waitFor(() => expect(onClose).toHaveBeenCalledTimes(2));
});
