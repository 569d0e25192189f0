// Keys of model providers that the server's environment has, offered by name: a confirmation stores the value as a Secret, with a ModelEndpoint. The value
// never comes here.
import type { KeyOffer } from '@svc/shared/api/environment-keys';
import { useMutation, useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { api, client } from '../../live/api.ts';
import { useCanWrite } from '../../sign-in/can-write.ts';
import { Button } from '../../ui/button/Button.tsx';
import { FormButtons } from '../../ui/input/FormButtons.tsx';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { Field } from '../../ui/input/Field.tsx';
import { Input } from '../../ui/input/Input.tsx';
import { Mono } from '../../ui/text/Mono.tsx';
import { announce } from '../../ui/feedback/announcer.ts';
import { Form } from '../../ui/input/Form.tsx';

export function KeyOffers({ namespace }: { readonly namespace: string }) {
  const { allowed } = useCanWrite('admin');
  const { data: offers = [] } = useQuery(
    api.environmentKeys.list.queryOptions(undefined, { enabled: allowed, staleTime: Number.POSITIVE_INFINITY }),
  );
  const [chosen, setChosen] = useState<KeyOffer>();
  if (!allowed || offers.length === 0) return null;
  return (
    <section aria-label="Keys found on this machine" className="mt-2 rounded-md border border-border bg-sunken p-3">
      <p className="mb-2 text-sm text-pretty text-muted">
        The environment of this server has keys of providers. They are not read until you confirm.
      </p>
      <ul className="flex flex-col gap-1.5">
        {offers.map((offer) => (
          <li key={offer.variable} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <KeyRound aria-hidden className="size-4 shrink-0 text-muted" />
            <span className="min-w-0 flex-1">
              <span className="font-medium">{offer.title}</span> <Mono className="text-xs text-muted">{offer.variable}</Mono>
            </span>
            <Button size="sm" onClick={() => setChosen(offer)} aria-label={`Use ${offer.variable}`}>
              Use…
            </Button>
          </li>
        ))}
      </ul>
      {chosen && <UseKeyDialog offer={chosen} namespace={namespace} onClose={() => setChosen(undefined)} />}
    </section>
  );
}

interface UseKeyDialogProps {
  readonly offer: KeyOffer;
  readonly namespace: string;
  readonly onClose: () => void;
}

function UseKeyDialog({ offer, namespace, onClose }: UseKeyDialogProps) {
  const { variable, title, address, endpoint, secret } = offer;
  const [model, setModel] = useState('');
  const accept = useMutation({
    mutationFn: () => {
      const named = model.trim();
      return client.environmentKeys.accept.mutate({ variable, namespace, ...(named !== '' && { model: named }) });
    },
    onSuccess: () => {
      announce(`The model endpoint ${endpoint} was created`);
      onClose();
    },
  });
  const submit = () => {
    if (!accept.isPending) accept.mutate();
  };
  return (
    <Dialog open onClose={onClose} closable={!accept.isPending} title={`Use the key ${variable}?`}>
      <Form onSubmit={submit} noValidate className="flex flex-col gap-4">
        <p className="text-pretty">
          The server reads it once from its environment and stores it as the Secret <Mono>{secret}</Mono> in <Mono>{namespace}</Mono>. The
          model endpoint <Mono>{endpoint}</Mono> uses it: when an agent calls {title}, the key is sent to <Mono>{address}</Mono>, and
          nowhere else.
        </p>
        <Field label="Model" hint={`As ${title} names it. Agents can name their own; without either a call fails.`}>
          <Input mono value={model} autoComplete="off" onChange={(event) => setModel(event.target.value)} />
        </Field>
        {accept.error && <ErrorCard error={accept.error} title="The key was not added" />}
        <FormButtons submit="Read and store it" cancel="Do not read it" onCancel={onClose} busy={accept.isPending} />
      </Form>
    </Dialog>
  );
}
