// Where a person writes: Enter sends, Shift+Enter begins a line. The text stays until the server has it.
import { SendHorizontal } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { keepMessageDraft, readMessageDraft, type MessageDraft } from '../../../editor/message-drafts.ts';
import { isUnanswered } from '../../../live/problem.ts';
import { newRequestKey } from '../../../live/request-keys.ts';
import { useSearchState, flagParam } from '../../../navigation/search-state.ts';
import { useShortcut } from '../../../shortcuts/use-shortcut.ts';
import { useCanEdit, useCanWrite } from '../../../sign-in/can-write.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { bottomBar } from '../../../ui/layout/bottom-bar.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Kbd } from '../../../ui/text/Kbd.tsx';
import { shownError } from '../../../ui/feedback/shown-error.ts';
import { Switch } from '../../../ui/input/Switch.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';
import { phaseLook } from '../../../ui/status/phases.ts';
import { StartSessionButton } from '../parts/StartSessionButton.tsx';
import { hasEnded, phaseOf, systemOf, type Session } from '../model/session.ts';
import type { MessageSender } from './use-send.ts';
import { Form } from '../../../ui/input/Form.tsx';

export interface ComposerProps {
  readonly session: Session;
  readonly deleted: boolean;
  /** A turn has begun and is not over. */
  readonly active: boolean;
  readonly send: MessageSender;
  readonly onSent: () => void;
}

const PARAMS = { compose: flagParam };

export function Composer(props: ComposerProps) {
  const { session, deleted } = props;
  if (deleted || hasEnded(session)) return <Ended session={session} deleted={deleted} />;
  return <Writing {...props} />;
}

function Ended({ session, deleted }: Pick<ComposerProps, 'session' | 'deleted'>) {
  const draft = readMessageDraft(session.metadata.uid);
  const text = `This Session has ended (${phaseLook(phaseOf(session)).label.toLowerCase()}). A rewind to a checkpoint opens it again.`;
  if (deleted && draft.content === '') return null;
  return (
    <div className="border-t border-border bg-surface">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-3 px-6 py-4 max-sm:px-4">
        {draft.content !== '' && <Unsent draft={draft} />}
        {!deleted && (
          <div className="flex flex-wrap items-center gap-3">
            <p className="min-w-0 flex-1 text-base text-muted">{text}</p>
            <StartSessionButton system={systemOf(session)} label="New Session" />
          </div>
        )}
      </div>
    </div>
  );
}

/** The draft that was left when the Session ended. */
function Unsent({ draft: { content, unanswered } }: { readonly draft: MessageDraft }) {
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center gap-2 text-sm text-muted">
        {unanswered === true ? 'It is not known whether your message was sent' : 'Your message was not sent'}
        <CopyButton text={content} label="Copy the message" />
      </div>
      <Textarea aria-label="Unsent message" readOnly rows={1} value={content} className="max-h-48" />
    </div>
  );
}

function useDraft({ metadata: { uid } }: Session) {
  const [draft, setDraft] = useState(() => readMessageDraft(uid));
  const change = (next: typeof draft) => {
    setDraft(next);
    keepMessageDraft(uid, next);
  };
  return [draft, change] as const;
}

/** Focuses the field of a Session that was just started, and by its shortcut. */
function useFocus(field: { readonly current: HTMLTextAreaElement | null }) {
  const [{ compose }, setState] = useSearchState(PARAMS);
  useEffect(() => {
    if (!compose) return;
    field.current?.focus();
    setState({ compose: false });
  }, [compose, setState, field]);
  useShortcut({ id: 'session.write', keys: 'm', label: 'Write a message', run: () => field.current?.focus() });
}

function Writing({ session, active, send, onSent }: ComposerProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [draft, setDraft] = useDraft(session);
  const [interrupts, setInterrupts] = useState(false);
  const { reason } = useCanWrite();
  const { reason: readOnly } = useCanEdit();
  useFocus(field);
  const blocked = reason ?? (draft.content.trim() === '' ? 'Write a message first.' : undefined);
  const submit = async () => {
    if (blocked !== undefined || send.sending) return;
    const { content, key = newRequestKey() } = draft;
    // Stored before it is sent: after a lost answer or a reload the same text is sent under the same key.
    setDraft({ content, key, unanswered: true });
    const outcome = await send.send({ content, interrupt: active && interrupts, key });
    // A refusal says nothing of an earlier send.
    if (outcome === 'refused') setDraft({ ...draft, key });
    if (outcome !== 'sent') return;
    setDraft({ content: '' });
    setInterrupts(false);
    onSent();
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    void submit();
  };
  return (
    <div ref={bottomBar} className="border-t border-border bg-surface">
      <Form
        aria-label="New message"
        onSubmit={() => void submit()}
        className="mx-auto flex w-full max-w-3xl flex-col gap-2 px-6 py-3 max-sm:px-4"
      >
        {send.error != null && <SendError error={send.error} />}
        <Textarea
          ref={field}
          aria-label="Message"
          // Height where the browser cannot size a field by its content.
          rows={draft.content.split('\n').length}
          value={draft.content}
          readOnly={send.sending || readOnly !== undefined}
          placeholder={readOnly ?? placeholderOf(session, active)}
          className="max-h-[40vh] min-h-10 resize-none"
          onChange={(event) => setDraft({ content: event.target.value })}
          onKeyDown={onKeyDown}
        />
        <div className="flex flex-wrap items-center gap-3 text-sm text-muted">
          <span className="max-sm:hidden">
            <Kbd keys="enter" /> sends, <Kbd keys="shift+enter" /> begins a line
          </span>
          <span className="flex-1" />
          {active && <Switch checked={interrupts} label="Interrupt the current turn" onChange={setInterrupts} />}
          <Button
            type="submit"
            variant="primary"
            className="ml-auto"
            icon={<SendHorizontal />}
            busy={send.sending}
            disabledReason={blocked}
          >
            {active && !interrupts ? 'Queue' : 'Send'}
          </Button>
        </div>
      </Form>
    </div>
  );
}

function SendError({ error }: { readonly error: unknown }) {
  const { message } = shownError(error);
  return (
    <Banner tone="danger" className="rounded-md">
      {isUnanswered(error) ? `Whether it was sent is not known: send it again, it is queued only once. ${message}` : `Not sent: ${message}`}
    </Banner>
  );
}

function placeholderOf(session: Session, active: boolean): string {
  if (phaseOf(session) === 'Paused') return 'Write a message. It runs when the Session is resumed.';
  return active ? 'Write a message. It runs after the current turn.' : `Message ${session.spec.system}`;
}
