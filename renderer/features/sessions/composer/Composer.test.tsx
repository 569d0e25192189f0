// Composer over a fake server: sends each message once, keeps drafts, and follows the state of its Session.
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, onTestFinished, test } from 'vitest';
import { asKind } from '../../../kinds/read.ts';
import { refusal, serve } from '../../../testing/fake-link.ts';
import { objectOf } from '../../../testing/fake-objects.ts';
import { leaveKeysToInputMethods } from '../../../shortcuts/input-method.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { SESSION } from '../model/session.ts';
import { Composer } from './Composer.tsx';
import { useSend } from './use-send.ts';

interface Sent {
  readonly content: string;
  readonly interrupt?: boolean | undefined;
  readonly idempotencyKey: string;
}

interface Shown {
  /** Names the draft: drafts are kept for each Session. */
  readonly name: string;
  readonly phase?: string;
  readonly active?: boolean;
  readonly deleted?: boolean;
  readonly role?: string;
  /** Called before each answer of the server; throws to refuse. */
  readonly onSubmit?: (sent: Sent) => void;
}

/** Returns the messages that reached the server. */
async function show({ name, phase = 'WaitingInput', active = false, deleted = false, role = 'writer', onSubmit }: Shown): Promise<Sent[]> {
  const sent: Sent[] = [];
  serve({
    server: { hello: () => ({ time: new Date().toISOString(), role, identity: { name: 'ana', role } }) },
    sessions: {
      submit: (input) => {
        sent.push(input);
        onSubmit?.(input);
        return { turn: {}, created: true };
      },
    },
  });
  const session = asKind(SESSION, objectOf(SESSION, name, { spec: { system: 'desk' }, status: { phase } }));
  const Part = () => <Composer session={session} deleted={deleted} active={active} send={useSend(session)} onSent={() => undefined} />;
  const { queryClient } = await renderAt('/n/ops/sessions/desk', () => <Part />);
  // Pages are shown once the person is known.
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
  return sent;
}

const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' });
const write = (value: string) => fireEvent.change(field(), { target: { value } });
const enter = (keys: object = {}) => fireEvent.keyDown(field(), { key: 'Enter', ...keys });

test('a reader sees why no message can be written', async () => {
  await show({ name: 'reader', role: 'reader' });
  expect(field().readOnly).toBe(true);
  expect(field().placeholder).toBe('This requires the role writer; you have the role reader.');
});

test('Enter sends the message and empties the field', async () => {
  const sent = await show({ name: 'enter' });
  write('Hello');
  enter();
  await waitFor(() => expect(field().value).toBe(''));
  expect(sent).toMatchObject([{ content: 'Hello', interrupt: false }]);
});

test('the field has a row for each line of the message', async () => {
  await show({ name: 'rows' });
  write('One\nTwo\nThree');
  expect(field().getAttribute('rows')).toBe('3');
});

test('Shift+Enter, a key of an input method, and blank text send nothing', async () => {
  onTestFinished(leaveKeysToInputMethods());
  const sent = await show({ name: 'quiet' });
  write('Hello');
  enter({ shiftKey: true });
  enter({ isComposing: true });
  enter({ keyCode: 229 });
  write('  ');
  enter();
  expect(screen.getByRole('button', { name: 'Send' }).getAttribute('aria-disabled')).toBe('true');
  expect(sent).toEqual([]);
});

test('a refused message stays with its error, and is sent again under the same key', async () => {
  let refuses = true;
  const sent = await show({
    name: 'refused',
    onSubmit: () => {
      if (refuses) throw refusal('unavailable', 'the database is away');
    },
  });
  write('Only once');
  enter();
  await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('Not sent: the database is away'));
  expect(field().value).toBe('Only once');
  refuses = false;
  enter();
  await waitFor(() => expect(field().value).toBe(''));
  expect(sent).toHaveLength(2);
  expect(sent[0]?.idempotencyKey).toBe(sent[1]?.idempotencyKey);
});

test('a draft stays for the next visit', async () => {
  await show({ name: 'draft' });
  write('A draft');
  await show({ name: 'draft' });
  expect(screen.getAllByRole<HTMLTextAreaElement>('textbox', { name: 'Message' }).at(-1)?.value).toBe('A draft');
});

test('a message during a turn is queued, or interrupts the turn on request', async () => {
  const sent = await show({ name: 'busy', active: true });
  expect(screen.getByRole('button', { name: 'Queue' })).toBeDefined();
  fireEvent.click(screen.getByRole('switch', { name: 'Interrupt the current turn' }));
  write('Stop that');
  enter();
  await waitFor(() => expect(field().value).toBe(''));
  expect(sent).toMatchObject([{ content: 'Stop that', interrupt: true }]);
});

test('a paused Session reports when its message will run', async () => {
  await show({ name: 'paused', phase: 'Paused' });
  expect(field().placeholder).toBe('Write a message. It runs when the Session is resumed.');
});

test('an ended Session offers a new one in place of the field', async () => {
  await show({ name: 'ended', phase: 'Completed' });
  expect(screen.queryByRole('textbox', { name: 'Message' })).toBeNull();
  expect(screen.getByText(/This Session has ended \(completed\)/)).toBeDefined();
});

test('a deleted Session has no field', async () => {
  await show({ name: 'deleted', deleted: true });
  expect(screen.queryByRole('textbox', { name: 'Message' })).toBeNull();
});

test.each([
  ['has ended', { phase: 'Completed' }],
  ['was deleted', { deleted: true }],
])('a text that was not sent can still be copied when its Session %s', async (_, change) => {
  await show({ name: 'unsent' });
  write('long words');
  cleanup();
  await show({ name: 'unsent', ...change });
  const kept = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Unsent message' });
  expect([kept.value, kept.readOnly]).toEqual(['long words', true]);
  expect(screen.getByText('Your message was not sent')).toBeDefined();
  expect(screen.getByRole('button', { name: 'Copy the message' })).toBeDefined();
});

test('a message whose answer was lost counts as unknown when its Session ends', async () => {
  await show({
    name: 'unanswered',
    onSubmit: () => {
      throw new TypeError('Failed to fetch');
    },
  });
  write('long words');
  enter();
  expect((await screen.findByRole('alert')).textContent).toMatch(/^Whether it was sent is not known: /);
  cleanup();
  await show({ name: 'unanswered', phase: 'Completed' });
  expect(screen.getByText('It is not known whether your message was sent')).toBeDefined();
  expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Unsent message' }).value).toBe('long words');
});

test('a message that was refused counts as not sent when its Session ends, unless an earlier answer was lost', async () => {
  const answers = [new TypeError('Failed to fetch'), refusal('conflict', 'it has ended'), refusal('conflict', 'it has ended')];
  const onSubmit = () => {
    throw answers.pop();
  };
  const submit = async (name: string) => {
    await show({ name, onSubmit });
    if (field().value === '') write('long words');
    enter();
    await screen.findByRole('alert');
    cleanup();
  };
  await submit('ended');
  await show({ name: 'ended', phase: 'Completed' });
  expect(screen.getByText('Your message was not sent')).toBeDefined();
  cleanup();
  answers.reverse();
  await submit('lost');
  await submit('lost');
  await show({ name: 'lost', phase: 'Completed' });
  expect(screen.getByText('It is not known whether your message was sent')).toBeDefined();
});
