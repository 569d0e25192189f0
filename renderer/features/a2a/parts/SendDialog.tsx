// Sends one message to a local agent, as another agent would over A2A, and shows the answer.
import { Send } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { client } from '../../../live/api.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { CodeBlock } from '../../../ui/text/CodeBlock.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { JsonTree } from '../../../ui/text/JsonTree.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';
import type { Tone } from '../../../ui/status/tone.ts';
import { curlCommand, readAnswer } from '../model/message.ts';
import type { LocalAgent } from '../model/registry.ts';
import { Form } from '../../../ui/input/Form.tsx';

export interface SendDialogProps {
  readonly agent: LocalAgent;
  readonly url: string;
  readonly token: boolean;
  readonly onClose: () => void;
}

const newMessageId = (): string => `console-${Date.now().toString(36)}`;

export function SendDialog({ agent, url, token, onClose }: SendDialogProps) {
  const { reason } = useCanWrite();
  const [text, setText] = useState('Hello');
  const [messageId, setMessageId] = useState(newMessageId);
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<unknown>();
  const [error, setError] = useState<unknown>();
  const request = useRef<AbortController>(undefined);
  useEffect(() => () => request.current?.abort(), []);
  const submit = async () => {
    const own = new AbortController();
    request.current = own;
    setBusy(true);
    setError(undefined);
    setAnswer(undefined);
    try {
      const { namespace, system: name } = agent;
      setAnswer((await client.agents.send.mutate({ namespace, name, text, messageId }, { signal: own.signal })) ?? null);
      setMessageId(newMessageId());
    } catch (failure) {
      if (!own.signal.aborted) setError(failure);
    }
    setBusy(false);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      size="lg"
      title={`Send a message to ${agent.system}`}
      description="It is answered like that of another agent, in your name, and starts a run. Closing this window does not end the run."
    >
      <Form onSubmit={() => void submit()} className="flex flex-col gap-4">
        <Field label="Message" required>
          <Textarea rows={3} value={text} onChange={(event) => setText(event.target.value)} />
        </Field>
        <CodeBlock label="The same with curl" text={curlCommand({ url, text, messageId, token })} wrap />
        {error !== undefined && <ErrorCard title="The message was not accepted" error={error} />}
        {answer !== undefined && <Answer body={answer} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" variant="primary" icon={<Send />} busy={busy} disabled={text === ''} disabledReason={reason}>
            Send
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

const TONES: Readonly<Record<string, Tone>> = {
  completed: 'ok',
  failed: 'danger',
  rejected: 'danger',
  canceled: 'neutral',
  'input-required': 'warn',
  'auth-required': 'warn',
};

function Answer({ body }: { readonly body: unknown }) {
  const { state, text, error } = useMemo(() => readAnswer(body), [body]);
  return (
    <section aria-label="Answer" aria-live="polite" className="flex flex-col gap-2">
      <h3 className="flex items-center gap-2 text-sm font-medium">
        Answer {state !== undefined && <Badge tone={(Object.hasOwn(TONES, state) ? TONES[state] : undefined) ?? 'info'}>{state}</Badge>}
        {error !== undefined && <Badge tone="danger">Error</Badge>}
      </h3>
      {(text ?? error) !== undefined && <CodeBlock label="Text of the answer" text={text ?? error ?? ''} wrap />}
      <JsonTree label="Answer as JSON" value={body} openDepth={1} className="max-h-60" />
    </section>
  );
}
