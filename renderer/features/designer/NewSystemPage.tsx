// A system that is not there yet, or that begins as a copy of another: the designer with an empty canvas.
import { lazy, Suspense } from 'react';
import { useQuery } from '@tanstack/react-query';
import { kindAddress, objectAddress } from '../../app/addresses.ts';
import { usePageTitle } from '../../app/page-title.ts';
import { RoutePending } from '../../app/RoutePending.tsx';
import { useAddressParam, useScope } from '../../app/scope.ts';
import { textParam, useSearchState } from '../../app/search-state.ts';
import { api } from '../../live/api.ts';
import { ErrorCard } from '../../ui/ErrorCard.tsx';
import { useNavigation } from '../../ui/navigation.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';

const SystemDesigner = lazy(() => import('./SystemDesigner.tsx').then((module) => ({ default: module.SystemDesigner })));

const PARAMS = { from: textParam };
const KIND = 'AgentSystem';

export function NewSystemPage() {
  const { scope, home } = useScope();
  const ns = useAddressParam('ns');
  const namespace = ns === '-' ? home : ns;
  const [{ from }] = useSearchState(PARAMS);
  const { go } = useNavigation();
  usePageTitle('New system');
  const original = useQuery({ ...api.resources.get.queryOptions({ kind: KIND, namespace, name: from }), enabled: from !== '' });
  const waiting = from !== '' && original.isPending;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        className="pt-3 pb-2"
        crumbs={[{ label: 'Agent systems', href: kindAddress(scope, KIND) }, { label: namespace }]}
        title={from === '' ? 'New system' : `Copy of ${from}`}
      />
      {original.error !== null && from !== '' && (
        <ErrorCard className="m-6" title={`${from} could not be loaded`} error={original.error} onRetry={() => void original.refetch()} />
      )}
      {!waiting && (from === '' || original.data) && (
        <Suspense fallback={<RoutePending />}>
          <SystemDesigner
            namespace={namespace}
            current={undefined}
            like={original.data}
            task=""
            onTask={() => undefined}
            running={false}
            onRunning={() => undefined}
            onApplied={(resource) =>
              go(objectAddress({ kind: KIND, namespace: resource.metadata.namespace, name: resource.metadata.name }))
            }
          />
        </Suspense>
      )}
    </div>
  );
}
