import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { useFocusKept } from './use-focus-kept.ts';

function Page() {
  useFocusKept();
  const [filtered, setFiltered] = useState(true);
  return (
    <main id="main" tabIndex={-1}>
      <div role="tabpanel" tabIndex={-1}>
        {filtered && <button onClick={() => setFiltered(false)}>Clear the filters</button>}
      </div>
    </main>
  );
}

test('the focus of a removed button goes to the part around it', async () => {
  render(<Page />);
  const button = screen.getByRole('button');
  button.focus();
  fireEvent.click(button);
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('tabpanel')));
});
