// Sends a test delivery to a webhook. The server signs it with the stored Secret.
import type { Resource } from '@svc/shared/resource';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { client } from '../../../live/api.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { FormButtons } from '../../../ui/input/FormButtons.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Form } from '../../../ui/input/Form.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { toastDone } from '../../../ui/overlay/toast.ts';

interface TestDeliveryDialogProps {
  readonly resource: Resource;
  readonly onClose: () => void;
}

/** Event id of a delivery that was given none. */
function useOwnEventId() {
  const own = useRef<{ readonly body: string; readonly id: string } | undefined>(undefined);
  /** The same for the same body: where an answer was lost, the delivery may have its run. */
  return (body: string): string => {
    if (own.current?.body !== body) own.current = { body, id: `test-${Date.now()}` };
    return own.current.id;
  };
}

export function TestDeliveryDialog({ resource: { metadata }, onClose }: TestDeliveryDialogProps) {
  const [body, setBody] = useState('{"test":true}');
  const [eventId, setEventId] = useState('');
  const ownEventId = useOwnEventId();
  const { reason } = useCanWrite();
  const send = useMutation({
    mutationFn: () => {
      const { namespace, name } = metadata;
      return client.webhooks.test.mutate({ namespace, name, body, eventId: eventId === '' ? ownEventId(body) : eventId });
    },
    onSuccess: ({ duplicate, task }) => {
      const run = task === null ? 'No run was started.' : `Run ${task}.`;
      toastDone(duplicate ? `The event had its run already. ${run}` : `The delivery was accepted. ${run}`);
      onClose();
    },
  });
  const submit = () => {
    if (!send.isPending) send.mutate();
  };
  return (
    <Dialog
      open
      closable={!send.isPending}
      onClose={onClose}
      title={`Send a test delivery to ${metadata.name}`}
      description="The server signs it with the webhook’s Secret. It starts a run like any other."
    >
      <Form onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Body">
          <Textarea mono value={body} onChange={(event) => setBody(event.target.value)} />
        </Field>
        <Field label="Event id" hint="Empty: a new one.">
          <Input mono value={eventId} onChange={(event) => setEventId(event.target.value)} />
        </Field>
        {send.error && <ErrorCard error={send.error} title="The delivery was not accepted" />}
        <FormButtons submit="Send" onCancel={onClose} busy={send.isPending} disabledReason={reason} />
      </Form>
    </Dialog>
  );
}
