// Creation of an object: choose a template, then edit it.
import { usePageTitle } from '../../navigation/page-title.ts';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { kindAddress } from '../../navigation/addresses.ts';
import { useCanWrite } from '../../sign-in/can-write.ts';
import { kindTitle, kindsTitle } from '../../kinds/kind-titles.ts';
import { NotFoundPage } from '../../ui/feedback/NotFoundPage.tsx';
import { UnknownKindPage } from './parts/UnknownKindPage.tsx';
import { useAddressParam, useScope } from '../../navigation/scope.ts';
import { textParam, useSearchState } from '../../navigation/search-state.ts';
import { kindOfPlural } from '../../kinds/kind-table.ts';
import type { KindSummary } from '../../kinds/kind-summary.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { Button } from '../../ui/button/Button.tsx';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { PageHeader } from '../../ui/layout/PageHeader.tsx';
import { SkeletonLines } from '../../ui/feedback/Skeleton.tsx';
import { SEALED_SECRET } from '../sealing/model/seal.ts';
import { SealForm } from '../sealing/parts/SealForm.tsx';
import { startQuery } from './model/templates.ts';
import { TemplateGallery } from './create/TemplateGallery.tsx';
import { isCreatedByService } from './object-traits.ts';
import { kindWord } from './object-text.ts';
import { lazyPart } from '../../ui/lazy-part.ts';

/** Forms that make a first text of an object, by kind, above the templates. */
const STARTING_FORMS: Readonly<Record<string, typeof SealForm>> = { [SEALED_SECRET]: SealForm };

const CreateEditor = lazyPart(async () => (await import('./create/CreateEditor.tsx')).CreateEditor);

const PARAMS = { template: textParam, from: textParam, lost: textParam, name: textParam, with: textParam };

export function CreatePage() {
  const plural = useAddressParam('plural');
  const kind = kindOfPlural(plural);
  if (!kind) return <UnknownKindPage plural={plural} />;
  if (isCreatedByService(kind.kind)) {
    const title = `You cannot create ${kindWord(kind.kind, 2)} here`;
    return <NotFoundPage title={title} explanation="The server creates them when they are needed." />;
  }
  return <Create key={kind.kind} kind={kind} />;
}

function Create({ kind }: { readonly kind: KindSummary }) {
  usePageTitle(`New ${kindWord(kind.kind, 1)}`);
  const { scope, home } = useScope();
  const { reason } = useCanWrite();
  const [start, setStart] = useSearchState(PARAMS);
  const { data: template, error, refetch } = useQuery(startQuery(kind, home, start));
  const [made, setMade] = useState<string>();
  const text = made ?? template;
  const StartingForm = STARTING_FORMS[kind.kind];
  const requested = start.template !== '' || start.from !== '' || start.lost !== '';
  // Deleted objects are remembered by one tab, until it reloads.
  const missed = requested && text === null;
  const chosen = made !== undefined || (requested && !missed);
  const waiting = <SkeletonLines widths={['w-1/4', 'w-1/5', 'w-2/5', 'w-1/3']} className="gap-3 p-6" />;
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <PageHeader
        crumbs={[{ label: kindsTitle(kind), href: kindAddress(scope, kind.kind) }, { label: 'New' }]}
        title={`New ${kindWord(kind.kind, 1)}`}
        meta={
          <span className="max-w-3xl text-pretty">
            {made !== undefined
              ? 'Sealed. Copy the text into a repository, or create the object here.'
              : chosen
                ? titleOf(kind, start)
                : 'Choose a starting point. Nothing is created yet.'}
          </span>
        }
        actions={
          chosen && (
            <Button
              onClick={() => {
                setMade(undefined);
                setStart({ template: '', from: '', lost: '' }, { push: true });
              }}
            >
              Choose another starting point
            </Button>
          )
        }
      />
      {reason !== undefined && <Banner tone="neutral">{reason}</Banner>}
      {missed && (
        <Banner tone="warn">The last known version of {start.lost || 'it'} no longer exists. Choose another starting point.</Banner>
      )}
      {error !== null && typeof text !== 'string' && (
        <ErrorCard error={error} title="The starting point could not be loaded" onRetry={() => void refetch()} className="mx-6 max-w-3xl" />
      )}
      {error === null && chosen && typeof text !== 'string' && waiting}
      {chosen && typeof text === 'string' && (
        <Suspense fallback={waiting}>
          <CreateEditor key={text} kind={kind} home={home} initial={text} />
        </Suspense>
      )}
      {!chosen && (
        <TemplateGallery kind={kind} namespace={home} start={start} onChoose={(change) => setStart(change, { push: true })}>
          {StartingForm && <StartingForm namespace={home} onSealed={setMade} />}
        </TemplateGallery>
      )}
    </div>
  );
}

function titleOf(kind: KindSummary, { from, lost }: { readonly from: string; readonly lost: string }): string {
  if (lost !== '') return `Last known version of ${lost}.`;
  if (from !== '') return `Copy of ${from}. Change its name.`;
  return `${kindTitle(kind)} as a form and as YAML. Both edit the same text.`;
}
