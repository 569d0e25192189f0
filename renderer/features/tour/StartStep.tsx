// Exact list of the objects that the tour will create, and their namespace. Nothing is created before the person agrees.
import { useMutation, useQuery } from '@tanstack/react-query';
import { ArrowRight } from 'lucide-react';
import { useState } from 'react';
import { objectAddress } from '../../navigation/addresses.ts';
import { useCanWrite } from '../../sign-in/can-write.ts';
import { KindIcon } from '../../kinds/KindIcon.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { Button } from '../../ui/button/Button.tsx';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { Field } from '../../ui/input/Field.tsx';
import { Input } from '../../ui/input/Input.tsx';
import { Link } from '../../ui/link/Link.tsx';
import { Mono } from '../../ui/text/Mono.tsx';
import { Skeleton } from '../../ui/feedback/Skeleton.tsx';
import { StepCard } from './StepCard.tsx';
import { createTour, loadDocuments, NamesTaken } from './tour-actions.ts';
import { homeProblem, TOUR_SELECTOR, PURPOSES } from './tour.ts';

export interface StartStepProps {
  readonly namespace: string;
  readonly onDone: (namespace: string) => void;
}

export function StartStep({ namespace: proposed, onDone }: StartStepProps) {
  // The page follows the objects of the namespace in the address, so a name goes there only once it is whole.
  const [typed, setTyped] = useState<string>();
  const namespace = typed ?? proposed;
  // Tools that run as processes of the worker may be declared by an administrator only.
  const { reason } = useCanWrite('admin');
  const documents = useQuery({ queryKey: ['tour', 'documents'], queryFn: loadDocuments, refetchInterval: false });
  const create = useMutation({ mutationFn: () => createTour(documents.data ?? [], namespace), onSuccess: () => onDone(namespace) });
  const problem = homeProblem(namespace);
  const blocked = reason ?? problem ?? (documents.data === undefined ? 'The samples are still loading.' : undefined);
  return (
    <StepCard
      title="Watch an agent ask before it pays"
      text="A customer wants money back. An agent handles the case, but the payment needs a person’s approval, and the letter is sent only after a person has read it. That person is you."
      actions={
        <Button
          variant="primary"
          size="lg"
          icon={<ArrowRight />}
          busy={create.isPending}
          disabledReason={blocked}
          onClick={() => create.mutate()}
        >
          Create these {documents.data?.length ?? ''} objects
        </Button>
      }
    >
      {reason !== undefined && (
        <Banner tone="warn">{reason} Ask an administrator to take the tour with you, or sign in with another token.</Banner>
      )}
      <div className="grid gap-6 border-t border-border p-6 max-sm:p-4 lg:grid-cols-[3fr_2fr]">
        <div>
          <h3 className="mb-1 font-medium">What is created</h3>
          {documents.isPending && <Skeleton className="h-40" />}
          {documents.error && (
            <ErrorCard error={documents.error} title="The samples could not be loaded" onRetry={() => void documents.refetch()} />
          )}
          <ul className="flex flex-col">
            {documents.data?.map(({ kind, metadata: { name } }) => (
              <li key={`${kind}${name}`} className="flex items-start gap-3 py-2">
                <KindIcon kind={kind} className="mt-0.5 size-4 shrink-0 text-accent-text" />
                <span>
                  <span className="font-medium">{kind}</span> <Mono>{name}</Mono>
                  <span className="block text-pretty text-muted">{PURPOSES[kind] ?? ''}</span>
                </span>
              </li>
            ))}
          </ul>
        </div>
        <div className="flex flex-col gap-4">
          <Field label="Namespace" hint="A new name creates a namespace." error={problem}>
            <Input mono value={namespace} onChange={(event) => setTyped(event.target.value)} />
          </Field>
          <p className="text-pretty text-muted">
            Everything carries the label <Mono>{TOUR_SELECTOR}</Mono>, and one click at the end removes it all again.
          </p>
        </div>
      </div>
      {create.error instanceof NamesTaken && <Taken error={create.error} namespace={namespace} />}
      {create.error && !(create.error instanceof NamesTaken) && (
        <ErrorCard error={create.error} title="Nothing was created" onRetry={() => create.mutate()} className="mx-6 mb-6" />
      )}
    </StepCard>
  );
}

function Taken({ error, namespace }: { readonly error: NamesTaken; readonly namespace: string }) {
  return (
    <div role="alert" className="mx-6 mb-6 rounded-lg border border-warn/40 bg-warn-soft p-4">
      <p className="font-medium">Nothing was created: these names are taken in {namespace}</p>
      <p className="mt-1 text-muted">The tour does not change existing objects. Choose another namespace, such as “tour”.</p>
      <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1">
        {error.taken.map(({ kind, name }) => (
          <li key={`${kind}${name}`}>
            <Link href={objectAddress({ kind, namespace, name })}>
              {kind} {name}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
