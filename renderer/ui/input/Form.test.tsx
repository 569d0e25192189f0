// Ctrl-Enter in forms and dialogs.
import { render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { Button } from '../button/Button.tsx';
import { Dialog } from '../overlay/Dialog.tsx';
import { Field } from './Field.tsx';
import { Form } from './Form.tsx';
import { Input } from './Input.tsx';
import { Textarea } from './Textarea.tsx';

function showForm(reason?: string) {
  const onSubmit = vi.fn<() => void>();
  render(
    <Form onSubmit={onSubmit}>
      <Textarea aria-label="Text" />
      <Button type="submit" disabledReason={reason}>
        Send
      </Button>
    </Form>,
  );
  return onSubmit;
}

test.each(['Control', 'Meta'])('%s-Enter submits a form from a field of several lines', async (key) => {
  const onSubmit = showForm();
  await userEvent.type(screen.getByLabelText('Text'), `one{Enter}two{${key}>}{Enter}{/${key}}`);
  expect(onSubmit).toHaveBeenCalledTimes(1);
  expect(screen.getByLabelText<HTMLTextAreaElement>('Text').value).toBe('one\ntwo');
});

test('Ctrl-Enter sends no form whose button is disabled', async () => {
  const onSubmit = showForm('Fill in the name first');
  await userEvent.type(screen.getByLabelText('Text'), '{Control>}{Enter}{/Control}');
  expect(onSubmit).not.toHaveBeenCalled();
});

test('Enter in the only field sends no form whose button is disabled', async () => {
  const onSubmit = vi.fn<() => void>();
  render(
    <Form onSubmit={onSubmit}>
      <Input aria-label="Name" />
      <Button type="submit" disabledReason="The server is not reachable">
        Send
      </Button>
    </Form>,
  );
  await userEvent.type(screen.getByLabelText('Name'), 'ada{Enter}');
  expect(onSubmit).not.toHaveBeenCalled();
});

test('Ctrl-Enter presses the main button of a dialog, and leaves the form behind it alone', async () => {
  const [onSubmit, onApply] = [vi.fn(), vi.fn()];
  render(
    <Form onSubmit={onSubmit}>
      <Dialog
        open
        onClose={() => undefined}
        title="Review"
        footer={
          <>
            <Button>Back</Button>
            <Button onClick={onApply}>Apply</Button>
          </>
        }
      >
        <Textarea aria-label="Comment" />
      </Dialog>
    </Form>,
  );
  await userEvent.type(screen.getByLabelText('Comment'), '{Control>}{Enter}{/Control}');
  expect(onApply).toHaveBeenCalledTimes(1);
  expect(onSubmit).not.toHaveBeenCalled();
});

test('a form in a dialog of a form is sent alone', async () => {
  const [onOuter, onInner] = [vi.fn(), vi.fn()];
  render(
    <Form onSubmit={onOuter}>
      <Dialog open onClose={() => undefined} title="New Secret">
        <Form onSubmit={onInner}>
          <Input aria-label="Name" />
          <Button type="submit">Create</Button>
        </Form>
      </Dialog>
    </Form>,
  );
  await userEvent.type(screen.getByLabelText('Name'), 'a{Enter}');
  expect(onInner).toHaveBeenCalledTimes(1);
  expect(onOuter).not.toHaveBeenCalled();
});

function Checked() {
  const [tried, setTried] = useState(false);
  return (
    <Form onSubmit={() => setTried(true)}>
      <Field label="Name">
        <Input />
      </Field>
      <Field label="Key" error={tried ? 'Enter a key' : undefined}>
        <Input />
      </Field>
      <Button type="submit">Send</Button>
    </Form>
  );
}

test('the first wrong field of a refused form gets the focus', async () => {
  render(<Checked />);
  await userEvent.click(screen.getByRole('button', { name: 'Send' }));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Key')));
});
