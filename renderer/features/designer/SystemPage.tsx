// One agent system: its design, and the parts that the pages of all objects have.
import type { Resource } from '@svc/shared/resource';
import { useMutation } from '@tanstack/react-query';
import { Copy, FileDown, Play, SearchX } from 'lucide-react';
import { Suspense, useState } from 'react';
import { createAddress, kindAddress } from '../../navigation/addresses.ts';
import { useCanWrite } from '../../sign-in/can-write.ts';
import { RoutePending } from '../../ui/feedback/RoutePending.tsx';
import { useAddressParam, useScope } from '../../navigation/scope.ts';
import { useAskParameter } from '../../navigation/use-ask-parameter.ts';
import { choiceParam, textParam, useSearchState } from '../../navigation/search-state.ts';
import { Button } from '../../ui/button/Button.tsx';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { LinkButton } from '../../ui/button/LinkButton.tsx';
import { PageHeader } from '../../ui/layout/PageHeader.tsx';
import { Tabs, type TabItem } from '../../ui/layout/Tabs.tsx';
import { Time } from '../../ui/status/Time.tsx';
import { UntrustedText } from '../../ui/text/UntrustedText.tsx';
import { toastError } from '../../ui/overlay/toast.ts';
import { exportBundle } from '../bundles/model/bundle-file.ts';
import { useObject } from '../explorer/model/use-object.ts';
import { DeletedBanner } from '../explorer/parts/DeletedBanner.tsx';
import { useCopyCommands } from '../explorer/parts/use-copy-commands.ts';
import { StartSessionButton } from '../sessions/parts/StartSessionButton.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';

const SystemDesigner = lazyPart(async () => (await import('./SystemDesigner.tsx')).SystemDesigner);
const SystemUse = lazyPart(async () => (await import('../runs/parts/usage.tsx')).SystemUse);
const OverviewTab = lazyPart(async () => (await import('../explorer/parts/OverviewTab.tsx')).OverviewTab);
const VersionsTab = lazyPart(async () => (await import('../explorer/parts/VersionsTab.tsx')).VersionsTab);
const RelationsTab = lazyPart(async () => (await import('../explorer/parts/RelationsTab.tsx')).RelationsTab);
const EventsTab = lazyPart(async () => (await import('../explorer/parts/EventsTab.tsx')).EventsTab);

const PARAMS = { tab: choiceParam(['design', 'runs', 'overview', 'versions', 'relations', 'events']), run: textParam };
type Tab = 'design' | 'runs' | 'overview' | 'versions' | 'relations' | 'events';

const KIND = 'AgentSystem';

interface HeadProps {
  readonly name: string;
  readonly resource?: Resource;
  readonly gone?: boolean;
  readonly onRun?: () => void;
}

function Head({ name, resource, gone = false, onRun }: HeadProps) {
  const { scope } = useScope();
  const { reason } = useCanWrite();
  const exporting = useMutation({
    mutationFn: () => exportBundle({ namespace: resource?.metadata.namespace ?? '', name }),
    onError: (error) => toastError('The system was not exported', error),
  });
  const description = resource?.metadata.annotations['svc.dev/description'];
  return (
    <PageHeader
      className="pb-1"
      crumbs={[{ label: 'Agent systems', href: kindAddress(scope, KIND) }, ...(resource ? [{ label: resource.metadata.namespace }] : [])]}
      title={name}
      meta={
        resource && (
          <>
            {description !== undefined && (
              <UntrustedText dir="auto" text={description} className="block max-h-[3lh] overflow-y-auto text-text" />
            )}
            <span>
              changed <Time at={resource.metadata.updatedAt} sentence />, version {resource.metadata.generation}
            </span>
          </>
        )
      }
      actions={
        resource &&
        !gone && (
          <>
            <LinkButton
              href={createAddress(resource.metadata.namespace, KIND, { from: `${resource.metadata.namespace}/${name}` })}
              icon={<Copy />}
              disabledReason={reason}
            >
              Duplicate
            </LinkButton>
            <Button icon={<FileDown />} disabledReason={reason} busy={exporting.isPending} onClick={() => exporting.mutate()}>
              Export
            </Button>
            <StartSessionButton system={resource.metadata} />
            <Button variant="primary" icon={<Play />} onClick={onRun} disabledReason={reason}>
              Run…
            </Button>
          </>
        )
      }
    />
  );
}

function Found({ resource, gone }: { readonly resource: Resource; readonly gone: boolean }) {
  const { namespace, name } = resource.metadata;
  const [{ tab, run }, setSearch] = useSearchState(PARAMS);
  const [running, setRunning] = useState(false);
  const object = { kind: KIND, namespace, name };
  useAskParameter('run', () => setRunning(!gone));
  useCopyCommands(object);
  const tabs: readonly TabItem<Tab>[] = [
    {
      value: 'design',
      label: 'Design',
      kept: true,
      content: (
        <SystemDesigner
          namespace={namespace}
          current={resource}
          readOnly={gone}
          task={run}
          onTask={(task) => setSearch({ run: task })}
          running={running}
          onRunning={setRunning}
          onApplied={() => undefined}
        />
      ),
    },
    { value: 'runs', label: 'Runs', content: <SystemUse object={object} /> },
    { value: 'overview', label: 'Overview', content: <OverviewTab object={object} /> },
    ...(gone ? [] : [{ value: 'versions' as const, label: 'Versions', content: <VersionsTab object={object} /> }]),
    { value: 'relations', label: 'Relations', content: <RelationsTab object={object} /> },
    { value: 'events', label: 'Events', content: <EventsTab resource={resource} /> },
  ];
  const start = () => {
    if (tab !== 'design') setSearch({ tab: 'design' });
    setRunning(true);
  };
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {gone && (
        <DeletedBanner resource={resource} scope={namespace} listTitle="Systems">
          Your changes can still be copied from the YAML.
        </DeletedBanner>
      )}
      <Head name={name} resource={resource} gone={gone} onRun={start} />
      <Suspense fallback={<RoutePending />}>
        <Tabs
          label={`Parts of ${name}`}
          value={tabs.some(({ value }) => value === tab) ? tab : 'design'}
          tabs={tabs}
          onChange={(next) => setSearch({ tab: next }, { push: true })}
        />
      </Suspense>
    </div>
  );
}

export function SystemPage() {
  const namespace = useAddressParam('ns');
  const name = useAddressParam('name');
  const found = useObject({ kind: KIND, namespace, name });
  switch (found.state) {
    case 'loading':
      return <RoutePending />;
    case 'missing':
      return (
        <EmptyState
          cause="none"
          icon={<SearchX />}
          title={`There is no system ${name}`}
          action={
            <LinkButton variant="primary" href={createAddress(namespace, KIND, { name })}>
              Design one
            </LinkButton>
          }
        >
          Namespace {namespace} has none of this name. It may have been deleted, or be in another namespace.
        </EmptyState>
      );
    case 'failed':
      return (
        <div className="mx-auto w-full max-w-2xl p-6">
          <ErrorCard title={`The system ${name} could not be loaded`} error={found.error} onRetry={found.retry} />
        </div>
      );
    default:
      return <Found key={`${namespace}/${name}`} resource={found.resource} gone={found.state === 'deleted'} />;
  }
}
