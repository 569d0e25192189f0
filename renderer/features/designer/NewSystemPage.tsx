// A system that does not exist yet: the designer with an empty canvas, or with the start that the address requests.
import type { Resource } from '@svc/shared/resource';
import { Play } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { kindAddress, objectAddress } from '../../navigation/addresses.ts';
import { specOf } from '../../kinds/read.ts';
import { useGoOn } from '../../navigation/own-location.ts';
import { usePageTitle } from '../../navigation/page-title.ts';
import { RoutePending } from '../../ui/feedback/RoutePending.tsx';
import { useAddressParam, useScope } from '../../navigation/scope.ts';
import { textParam, useSearchState } from '../../navigation/search-state.ts';
import { useCanWrite } from '../../sign-in/can-write.ts';
import { Button } from '../../ui/button/Button.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { PageHeader } from '../../ui/layout/PageHeader.tsx';
import { startTextQuery, type SystemStart } from './document/start-text.ts';
import { lazyPart } from '../../ui/lazy-part.ts';

const SystemDesigner = lazyPart(async () => (await import('./SystemDesigner.tsx')).SystemDesigner);

const PARAMS = { template: textParam, from: textParam, lost: textParam, name: textParam, item: textParam };
const KIND = 'AgentSystem';

function titleOf({ from, lost }: SystemStart): string {
  if (from !== '') return `Copy of ${from}`;
  return lost === '' ? 'New system' : `${lost} again`;
}

function missedOf({ lost, template }: SystemStart): string {
  if (lost !== '') return `The last state of ${lost} was stored in one tab only and is lost. This system starts empty, under its name.`;
  return `There is no template ${template}. This begins empty.`;
}

/** The page of the stored system: with its run, or with the selected agent, which is the first one without a selection. */
function addressOfMade(system: Resource, { item, run }: { readonly item: string; readonly run: string }) {
  const { namespace, name } = system.metadata;
  const [first] = specOf(KIND, system).agents ?? [];
  return objectAddress({ kind: KIND, namespace, name }, undefined, run === '' ? { item: item || first } : { run });
}

export function NewSystemPage() {
  const { scope, home } = useScope();
  const ns = useAddressParam('ns');
  const namespace = ns === '-' ? home : ns;
  const [{ template, from, lost, name, item }] = useSearchState(PARAMS);
  const goOn = useGoOn();
  const [running, setRunning] = useState(false);
  const [named, setNamed] = useState('');
  const { reason } = useCanWrite();
  usePageTitle('New system');
  const start = { template, from, lost, name };
  const { data, error, refetch } = useQuery(startTextQuery(namespace, start));
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        className="pb-3"
        crumbs={[{ label: 'Agent systems', href: kindAddress(scope, KIND) }, { label: namespace }]}
        title={named || titleOf(start)}
        // A line from the start: the first letter of the name would move the canvas.
        meta={named === '' ? 'Not stored yet' : `${titleOf(start)}, not stored yet`}
        actions={
          data && (
            <Button variant="primary" icon={<Play />} onClick={() => setRunning(true)} disabledReason={reason}>
              Run…
            </Button>
          )
        }
      />
      {data?.missed === true && <Banner tone="warn">{missedOf(start)}</Banner>}
      {!data && error !== null && (
        <ErrorCard className="m-6" title={`${from} could not be loaded`} error={error} onRetry={() => void refetch()} />
      )}
      {!data && error === null && <RoutePending />}
      {data && (
        <Suspense fallback={<RoutePending />}>
          <SystemDesigner
            key={JSON.stringify([namespace, start])}
            namespace={namespace}
            current={undefined}
            initialText={data.text}
            onNamed={setNamed}
            task=""
            onTask={() => undefined}
            running={running}
            onRunning={setRunning}
            onApplied={(made, run = '') => goOn(addressOfMade(made, { item, run }))}
          />
        </Suspense>
      )}
    </div>
  );
}
