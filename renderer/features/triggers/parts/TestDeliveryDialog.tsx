// Signs a delivery in the browser and sends it to the webhook's address. The secret stays in this form and is wiped with it.
import type { DeliveryReply } from '@svc/shared/api/webhooks';
import { signedHeaders } from '@svc/shared/kinds/task-webhook/signing';
import type { Resource } from '@svc/shared/resource';
import { useState, type FormEvent } from 'react';
import { specOf } from '../../../kinds/read.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';
import { toastDone } from '../../../ui/overlay/toast.ts';
import { Form } from '../../../ui/input/Form.tsx';

interface TestDeliveryDialogProps {
  readonly resource: Resource;
  readonly url: string;
  readonly onClose: () => void;
}

export function TestDeliveryDialog({ resource, url, onClose }: TestDeliveryDialogProps) {
  const [secret, setSecret] = useState('');
  const [body, setBody] = useState('{"test":true}');
  const [eventId, setEventId] = useState('');
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const id = eventId === '' ? `test-${Date.now()}` : eventId;
    const sent = await deliver(resource, { url, secret, body, eventId: id });
    setBusy(false);
    if ('problem' in sent) return setFailure(sent.problem);
    const run = sent.reply.task === null ? 'No run was started.' : `Run ${sent.reply.task}.`;
    toastDone(sent.reply.duplicate ? `The event had its run already. ${run}` : `The delivery was accepted. ${run}`);
    onClose();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Send a test delivery to ${resource.metadata.name}`}
      description="It is signed in this browser as the webhook expects it, and starts a run like any other."
    >
      <Form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <Field label="Secret" required error={failure} hint="The value of the webhook’s Secret. It stays in this browser.">
          <Input mono type="password" autoComplete="off" value={secret} onChange={(event) => setSecret(event.target.value)} />
        </Field>
        <Field label="Body">
          <Textarea mono value={body} onChange={(event) => setBody(event.target.value)} />
        </Field>
        <Field label="Event id" hint="Empty: a new one.">
          <Input mono value={eventId} onChange={(event) => setEventId(event.target.value)} />
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose} disabled={busy}>
            Cancel
          </Button>
          <Button type="submit" variant="primary" busy={busy} disabled={secret === ''}>
            Send
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

interface TestDelivery {
  readonly url: string;
  readonly secret: string;
  readonly body: string;
  readonly eventId: string;
}

type Sent = { readonly reply: DeliveryReply } | { readonly problem: string };

async function deliver(resource: Resource, { url, secret, body, eventId }: TestDelivery): Promise<Sent> {
  if (!window.isSecureContext) return { problem: 'Browsers sign on pages of https or localhost only. Use svcctl webhook send.' };
  const encoder = new TextEncoder();
  try {
    const spec = specOf('TaskWebhook', resource);
    const delivery = { spec, secret: encoder.encode(secret), body: encoder.encode(body), eventId, now: Date.now() };
    const headers = { 'Content-Type': 'application/json', ...(await signedHeaders(delivery)) };
    const answer = await fetch(url, { method: 'POST', credentials: 'omit', headers, body });
    const reply = (await answer.json()) as DeliveryReply & { readonly error?: { readonly message?: string } };
    return answer.ok
      ? { reply }
      : { problem: `${reply.error?.message ?? `The server answered ${answer.status}`}. The list of deliveries shows the reason.` };
  } catch (error) {
    return { problem: `The delivery was not sent: ${(error as Error).message}.` };
  }
}
