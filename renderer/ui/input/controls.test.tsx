// Behaviour of the kit's controls beyond their looks.
import { fireEvent, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { Button } from '../button/Button.tsx';
import { Combobox } from './Combobox.tsx';
import { ConfirmDialog } from '../overlay/ConfirmDialog.tsx';
import { announcementBetween } from '../status/Countdown.tsx';
import { ErrorCard } from '../feedback/ErrorCard.tsx';
import { Field } from './Field.tsx';
import { IconButton } from '../button/IconButton.tsx';
import { Input } from './Input.tsx';
import { Inspector } from '../overlay/Inspector.tsx';
import { Link } from '../link/Link.tsx';
import { Menu } from '../overlay/Menu.tsx';
import { NavigationContext } from '../link/navigation.ts';
import { openableUrl } from '../link/OutsideLink.tsx';
import { UntrustedText } from '../text/UntrustedText.tsx';

describe('a button', () => {
  test('stays focusable while disabled, does nothing and reports the reason', async () => {
    const onClick = vi.fn();
    render(
      <Button onClick={onClick} disabledReason="This takes the role writer.">
        Delete
      </Button>,
    );
    const button = screen.getByRole('button', { name: 'Delete' });
    await userEvent.click(button);
    expect(onClick).not.toHaveBeenCalled();
    expect(button.getAttribute('aria-disabled')).toBe('true');
    await userEvent.hover(button);
    expect((await screen.findByRole('tooltip')).textContent).toBe('This takes the role writer.');
  });
  test('accepts no second press and no submit while busy', async () => {
    const onSubmit = vi.fn((event: { preventDefault: () => void }) => event.preventDefault());
    render(
      <form onSubmit={onSubmit}>
        <Button type="submit" busy>
          Save
        </Button>
      </form>,
    );
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(onSubmit).not.toHaveBeenCalled();
  });
  test('with only an icon has its label as name', () => {
    render(<IconButton label="Retry" icon={<svg />} />);
    expect(screen.getByRole('button', { name: 'Retry' })).toBeTruthy();
  });
});

test('a field ties label, hint and error to its control', () => {
  render(
    <Field label="Name" hint="Lower-case." error="is taken" required>
      <Input />
    </Field>,
  );
  const input = screen.getByLabelText(/Name/);
  const described = (input.getAttribute('aria-describedby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent);
  expect(described).toEqual(['Lower-case.', 'is taken']);
  expect(input.getAttribute('aria-invalid')).toBe('true');
});

test('a link uses the router, except where the browser opens a tab', () => {
  const go = vi.fn();
  render(
    <NavigationContext value={{ go }}>
      <Link href="/n/default/tasks?phase=Failed">Failed</Link>
    </NavigationContext>,
  );
  const link = screen.getByRole('link', { name: 'Failed' });
  link.addEventListener('click', (event) => event.preventDefault());
  fireEvent.click(link, { ctrlKey: true });
  expect(go).not.toHaveBeenCalled();
});

describe('a confirmation', () => {
  test('requires the typed word, and forgets it when closed', async () => {
    const onConfirm = vi.fn();
    const dialog = (open: boolean) => (
      <ConfirmDialog
        open={open}
        onClose={vi.fn()}
        onConfirm={onConfirm}
        title="Delete erp.delete?"
        consequence="Agents lose the tool."
        confirmLabel="Delete the tool"
        typed="erp.delete"
      />
    );
    const { rerender } = render(dialog(true));
    const confirm = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Delete the tool' });
    expect(confirm().disabled).toBe(true);
    await userEvent.type(screen.getByRole('textbox'), 'erp.delete');
    await userEvent.click(confirm());
    expect(onConfirm).toHaveBeenCalledTimes(1);
    rerender(dialog(false));
    rerender(dialog(true));
    expect(confirm().disabled).toBe(true);
  });
});

describe('a combobox', () => {
  function Models({ onChange, custom = false }: { readonly onChange: (value: string) => void; readonly custom?: boolean }) {
    const [value, setValue] = useState('mock');
    const change = (next: string) => {
      setValue(next);
      onChange(next);
    };
    return (
      <Combobox
        aria-label="Model"
        value={value}
        onChange={change}
        allowCustom={custom}
        options={[{ value: 'mock' }, { value: 'gpt-5' }, { value: 'gpt-5-mini' }]}
      />
    );
  }
  test('offers matches, and takes the chosen one by keyboard', async () => {
    const onChange = vi.fn();
    render(<Models onChange={onChange} />);
    const input = screen.getByRole('combobox', { name: 'Model' });
    await userEvent.clear(input);
    await userEvent.type(input, 'gpt');
    expect(screen.getAllByRole('option').map((option) => option.textContent)).toEqual(['gpt-5', 'gpt-5-mini']);
    await userEvent.keyboard('{ArrowDown}{Enter}');
    expect(onChange).toHaveBeenLastCalledWith('gpt-5-mini');
    expect(input.getAttribute('aria-expanded')).toBe('false');
  });
  test('discards text that is not on offer when focus leaves, unless any text is allowed', async () => {
    const onChange = vi.fn();
    const { unmount } = render(<Models onChange={onChange} />);
    await userEvent.type(screen.getByRole('combobox'), 'x');
    await userEvent.tab();
    expect(onChange).not.toHaveBeenCalled();
    unmount();
    render(<Models custom onChange={onChange} />);
    await userEvent.type(screen.getByRole('combobox'), 'x');
    await userEvent.tab();
    expect(onChange).toHaveBeenLastCalledWith('mockx');
  });
  test('keeps its value when Enter is pressed before anything is typed', async () => {
    const onChange = vi.fn();
    render(<Combobox aria-label="Model" value="b" onChange={onChange} options={[{ value: 'a' }, { value: 'b' }]} />);
    await userEvent.click(screen.getByRole('combobox'));
    expect(screen.getByRole('option', { selected: true }).textContent).toBe('b');
    await userEvent.keyboard('{Enter}');
    expect(onChange).not.toHaveBeenCalled();
    expect(screen.getByRole('combobox').getAttribute('aria-expanded')).toBe('false');
    await userEvent.keyboard('{ArrowDown}{ArrowUp}{Enter}');
    expect(onChange).toHaveBeenCalledExactlyOnceWith('a');
  });
  test('takes the first option for the text once it has loaded, when Enter came before', async () => {
    const onChange = vi.fn();
    const asked: string[] = [];
    const answers = new Map<string, (options: { value: string }[]) => void>();
    const load = (query: string) => {
      asked.push(query);
      return new Promise<{ value: string }[]>((resolve) => answers.set(query, resolve));
    };
    const box = () => <Combobox aria-label="Run" value="" onChange={onChange} options={(query) => load(query)} />;
    const { rerender } = render(box());
    await userEvent.type(screen.getByRole('combobox'), 'b');
    await expect.poll(() => asked).toContain('b');
    await userEvent.keyboard('{Enter}');
    // The caller draws again, with a new function.
    rerender(box());
    expect(onChange).not.toHaveBeenCalled();
    answers.get('b')?.([{ value: 'billing' }, { value: 'bulk' }]);
    await expect.poll(() => onChange).toHaveBeenCalledExactlyOnceWith('billing');
    expect(asked.filter((query) => query === 'b')).toHaveLength(1);
  });
});

test('a menu pressed before it has loaded opens once it has', async () => {
  const onSelect = vi.fn();
  render(<Menu trigger={<button type="button">More</button>} items={[{ id: 'a', label: 'Retry', onSelect }]} />);
  // A whole press: another test of the same worker may have loaded the menu, which opens when the pointer goes down.
  await userEvent.click(screen.getByRole('button', { name: 'More' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Retry' }));
  expect(onSelect).toHaveBeenCalledTimes(1);
});

test('Escape closes the inspector, and focus returns to its opener', async () => {
  function Page() {
    const [open, setOpen] = useState(false);
    return (
      <>
        <button type="button" onClick={() => setOpen(true)}>
          Open
        </button>
        {open && (
          <Inspector title="Details" takesFocus covered={false} onClose={() => setOpen(false)}>
            <p>text</p>
          </Inspector>
        )}
      </>
    );
  }
  render(<Page />);
  await userEvent.click(screen.getByRole('button', { name: 'Open' }));
  expect(document.activeElement).toBe(screen.getByRole('complementary', { name: 'Details' }));
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByRole('complementary')).toBeNull();
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Open' }));
});

test('the width of the inspector is set by arrow keys too', () => {
  render(
    <Inspector title="Details" onClose={vi.fn()} covered={false} storageKey="test">
      text
    </Inspector>,
  );
  const separator = screen.getByRole('separator');
  const width = Number(separator.getAttribute('aria-valuenow'));
  fireEvent.keyDown(separator, { key: 'ArrowLeft' });
  expect(Number(separator.getAttribute('aria-valuenow'))).toBe(width + 16);
});

test.each([
  [301_000, 299_000, 'It expires in 5 minutes'],
  [61_000, 60_000, 'It expires in 1 minute'],
  [1_000, -1, 'It has expired'],
  [200_000, 199_000, undefined],
  [-1_000, -2_000, undefined],
])('a countdown from %d to %d ms says %j', (before, now, expected) => expect(announcementBetween(before, now, 'It')).toBe(expected));

test('hidden characters in untrusted text are shown, and markup stays text', () => {
  render(<UntrustedText text={'<b>pay</b>\u202e now'} />);
  expect(screen.getByTitle('Hidden character: right-to-left override').textContent).toBe('RLO');
  expect(document.querySelector('b')).toBeNull();
});

test('an error card has the fields, the request id and a retry', async () => {
  const onRetry = vi.fn();
  const error = {
    data: { requestId: 'r-7', error: { code: 'invalid', message: 'No', details: [{ path: 'spec.x', message: 'is required' }] } },
  };
  render(<ErrorCard title="It could not be saved" error={error} onRetry={onRetry} />);
  expect(screen.getByRole('alert').textContent).toContain('spec.x is required');
  expect(screen.getByRole('alert').textContent).toContain('request r-7');
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(onRetry).toHaveBeenCalledTimes(1);
});

test.each([
  ['https://example.com/a', true],
  ['mailto:a@example.com', true],
  ['javascript:alert(1)', false],
  ['data:text/html,x', false],
  ['/relative', false],
  ['//example.com', false],
  ['', false],
])('opening %j from untrusted text is allowed: %s', (href, opens) => expect(openableUrl(href) !== undefined).toBe(opens));
