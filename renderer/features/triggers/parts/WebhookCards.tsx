// Webhook on its page: address, programs that sign for it, a test, and the newest deliveries with their outcomes.
import type { DeliveryOutcome, DeliveryRecord } from '@svc/shared/api/webhooks';
import type { Resource } from '@svc/shared/resource';
import { useMutation, useQuery } from '@tanstack/react-query';
import { RotateCw, Send, Webhook } from 'lucide-react';
import { useEffect, useState } from 'react';
import { serverAddress } from '../../../ui/link/base-path.ts';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { specOf, statusOf } from '../../../kinds/read.ts';
import { api, client } from '../../../live/api.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { CodeBlock } from '../../../ui/text/CodeBlock.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { QueryState } from '../../../ui/feedback/QueryState.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { SegmentedControl } from '../../../ui/input/SegmentedControl.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { toastDone, toastError } from '../../../ui/overlay/toast.ts';
import type { Tone } from '../../../ui/status/tone.ts';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { LANGUAGES, snippet, type Language } from '../model/snippets.ts';

const TestDeliveryDialog = lazyPart(async () => (await import('./TestDeliveryDialog.tsx')).TestDeliveryDialog);

const LANGUAGE_TEXTS: Readonly<Record<Language, string>> = { curl: 'curl', node: 'Node.js', python: 'Python', svcctl: 'svcctl' };

export function WebhookCards({ resource }: { readonly resource: Resource }) {
  const { namespace, name } = resource.metadata;
  const { acceptedCount, duplicateCount, rejectedCount, endpointPath } = statusOf('TaskWebhook', resource);
  const query = useQuery(api.webhooks.deliveries.queryOptions({ namespace, name }));
  const { refetch } = query;
  // Counters follow each delivery within a second.
  useEffect(() => void refetch(), [refetch, acceptedCount, duplicateCount, rejectedCount]);
  return (
    <>
      {endpointPath !== undefined && <Address resource={resource} url={`${serverAddress()}${endpointPath}`} />}
      <Card flush title="Deliveries" description="The newest 100. When many are refused at once, some are listed and all are counted.">
        <QueryState query={query} title="The deliveries could not be loaded" skeleton="h-16" className="m-4" />
        {query.data?.length === 0 && (
          <EmptyState cause="none" icon={<Webhook />} title="No deliveries yet">
            Each delivery appears here, with its run or the reason why it was refused.
          </EmptyState>
        )}
        {query.data && query.data.length > 0 && (
          <Deliveries webhook={{ namespace, name }} deliveries={query.data} onChange={() => void refetch()} />
        )}
      </Card>
    </>
  );
}

function Address({ resource, url }: { readonly resource: Resource; readonly url: string }) {
  const { namespace, name } = resource.metadata;
  const [language, setLanguage] = useState<Language>('curl');
  const [testing, setTesting] = useState(false);
  const { reason } = useCanWrite();
  const spec = specOf('TaskWebhook', resource);
  return (
    <Card
      title="Address"
      description="Senders deliver events here, signed with the secret."
      actions={
        <Button
          icon={<Send />}
          onClick={() => setTesting(true)}
          disabledReason={reason ?? (spec.suspend === true ? 'The webhook is suspended.' : undefined)}
        >
          Send a test delivery
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <div className="flex items-center gap-2">
          <code className="min-w-0 font-mono text-sm [overflow-wrap:anywhere]">{url}</code>
          <CopyButton text={url} label="Copy the address" />
        </div>
        <SegmentedControl
          label="Language of the example"
          value={language}
          segments={LANGUAGES.map((value) => ({ value, label: LANGUAGE_TEXTS[value] }))}
          onChange={setLanguage}
        />
        <CodeBlock label={`Example in ${LANGUAGE_TEXTS[language]}`} text={snippet(language, { namespace, name, url, spec })} />
        <p className="text-sm text-muted">The examples read the secret from the file secret.txt.</p>
      </div>
      {testing && <TestDeliveryDialog resource={resource} onClose={() => setTesting(false)} />}
    </Card>
  );
}

const OUTCOMES: Readonly<Record<DeliveryOutcome, { readonly label: string; readonly tone: Tone }>> = {
  accepted: { label: 'Accepted', tone: 'ok' },
  duplicate: { label: 'Duplicate', tone: 'neutral' },
  ping: { label: 'Ping', tone: 'info' },
  failed: { label: 'Failed', tone: 'danger' },
  rejected: { label: 'Rejected', tone: 'danger' },
};

interface DeliveriesProps {
  readonly webhook: { readonly namespace: string; readonly name: string };
  readonly deliveries: readonly DeliveryRecord[];
  readonly onChange: () => void;
}

function Deliveries({ webhook, deliveries, onChange }: DeliveriesProps) {
  const { reason: readOnly } = useCanWrite();
  const redeliver = useMutation({
    mutationFn: (id: string) => client.webhooks.redeliver.mutate({ ...webhook, id }),
    onSuccess: ({ task }) => toastDone(`Run ${task} is created`),
    onError: (error) => toastError('The delivery was not sent again', error),
    onSettled: onChange,
  });
  const busy = redeliver.isPending ? redeliver.variables : undefined;
  return (
    <ol aria-label="Deliveries, newest first" className="max-h-96 overflow-auto" tabIndex={0}>
      {deliveries.map((delivery) => (
        <Delivery key={delivery.id} delivery={delivery} busy={busy === delivery.id} blocked={readOnly} onRedeliver={redeliver.mutate} />
      ))}
    </ol>
  );
}

interface DeliveryProps {
  readonly delivery: DeliveryRecord;
  readonly busy: boolean;
  readonly blocked: string | undefined;
  readonly onRedeliver: (id: string) => void;
}

function Delivery({ delivery: { id, time, event_id: eventId, outcome, reason, task }, busy, blocked, onRedeliver }: DeliveryProps) {
  const { label, tone } = OUTCOMES[outcome];
  const [namespace = '', name = ''] = task?.split('/') ?? [];
  const impossible = outcome === 'rejected' || outcome === 'ping' ? 'This delivery has no event to run.' : undefined;
  return (
    <li className="grid grid-cols-[6rem_var(--time-width)_minmax(0,1fr)_auto] items-center gap-x-3 border-b border-border/60 px-4 py-1.5 last:border-b-0 max-sm:grid-cols-[6rem_minmax(0,1fr)_auto]">
      <span>
        <Badge tone={tone}>{label}</Badge>
      </span>
      <span className="text-sm text-muted max-sm:hidden">
        <Time at={time} />
      </span>
      <span className="flex min-w-0 flex-col">
        <span className="flex min-w-0 flex-wrap items-baseline gap-x-3">
          {eventId !== null && <UntrustedText mono text={eventId} className="min-w-0" />}
          {task !== null && (
            <PeekLink object={{ kind: 'Task', namespace, name }} className="min-w-0 truncate underline">
              {name}
            </PeekLink>
          )}
        </span>
        {reason !== null && <UntrustedText text={reason} className="text-sm text-muted" />}
      </span>
      <IconButton
        size="sm"
        label={`Deliver ${id} again`}
        icon={<RotateCw />}
        disabled={busy}
        disabledReason={blocked ?? impossible}
        onClick={() => onRedeliver(id)}
      />
    </li>
  );
}
