// The page of one object, in each state it can be in: there, deleted meanwhile, missing, forbidden, unreachable.
import type { Resource } from '@svc/shared/resource';
import { SearchX, RefreshCw } from 'lucide-react';
import { createAddress, kindAddress, objectAddress, type ObjectRef } from '../../../navigation/addresses.ts';
import { kindTitle, kindsTitle } from '../../../kinds/kind-titles.ts';
import { useAskParameter } from '../../../navigation/use-ask-parameter.ts';
import { useGoOn } from '../../../navigation/own-location.ts';
import { useScope } from '../../../navigation/scope.ts';
import { choiceParam, useSearchState } from '../../../navigation/search-state.ts';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { LoadFailure } from '../../../ui/feedback/LoadFailure.tsx';
import { LinkButton } from '../../../ui/button/LinkButton.tsx';
import { PageHeader } from '../../../ui/layout/PageHeader.tsx';
import { SkeletonLines } from '../../../ui/feedback/Skeleton.tsx';
import { Tabs, type TabItem } from '../../../ui/layout/Tabs.tsx';
import { DeletedBanner } from '../parts/DeletedBanner.tsx';
import { EventsTab } from '../parts/EventsTab.tsx';
import { FormTab } from '../parts/FormTab.tsx';
import { KindTab, ownTabOf } from '../parts/KindTab.tsx';
import { OverviewTab } from '../parts/OverviewTab.tsx';
import { RelationsTab } from '../parts/RelationsTab.tsx';
import { canSuspend, isCrdManaged, isCreatedByService, isEditable, isSecretKind, isSuspended } from '../object-traits.ts';
import { useObject } from '../model/use-object.ts';
import { useObjectActions } from '../parts/use-object-actions.tsx';
import { kindWord } from '../object-text.ts';
import { YamlTab } from '../parts/YamlTab.tsx';
import { ObjectHeader } from './ObjectHeader.tsx';
import { Suspense, useState, type ComponentType } from 'react';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { RoutePending } from '../../../ui/feedback/RoutePending.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { Time } from '../../../ui/status/Time.tsx';

/** Kinds whose page has a tab with their runs. */
const USES: Readonly<Record<string, ComponentType<{ readonly object: ObjectRef }>>> = {
  Agent: lazyPart(async () => (await import('../../runs/parts/usage.tsx')).AgentUse),
};

const VersionsTab = lazyPart(async () => (await import('../parts/VersionsTab.tsx')).VersionsTab);

/** Replaces \"first\" with the first tab of the kind. */
const PARAMS = { tab: choiceParam(['first', 'own', 'overview', 'runs', 'form', 'yaml', 'versions', 'relations', 'events']) };
type Tab = 'own' | 'overview' | 'runs' | 'form' | 'yaml' | 'versions' | 'relations' | 'events';

export interface ObjectViewProps {
  readonly kind: KindSummary;
  readonly object: ObjectRef;
}

export function ObjectView({ kind, object }: ObjectViewProps) {
  const found = useObject(object);
  switch (found.state) {
    case 'loading':
      return <Loading kind={kind} object={object} />;
    case 'missing':
      return <Missing kind={kind} object={object} />;
    case 'failed':
      return <Failed kind={kind} object={object} error={found.error} onRetry={found.retry} />;
    case 'there':
      return <Page kind={kind} object={object} resource={found.resource} gone={false} />;
    case 'deleted':
      return <Page kind={kind} object={object} resource={found.resource} gone />;
  }
}

interface PageProps extends ObjectViewProps {
  readonly resource: Resource;
  readonly gone: boolean;
}

function Page({ kind, object, resource, gone }: PageProps) {
  const { scope } = useScope();
  const [{ tab }, setState] = useSearchState(PARAMS);
  const goOn = useGoOn();
  const actions = useObjectActions({
    ...{ kind, scope },
    onDeleted: () => goOn(kindAddress(scope, kind.kind)),
    onRenamed: (name) => goOn(objectAddress({ ...object, name }, scope, { tab: tab === 'first' ? undefined : tab })),
  });
  const suspendable = !gone && canSuspend(kind) && !isSuspended(resource);
  useAskParameter('suspend', () => suspendable && actions.ask('suspend', [resource]));
  const Use = USES[kind.kind];
  const own = gone ? undefined : ownTabOf(kind.kind);
  const hasForm = !isSecretKind(kind.kind) && isEditable(kind.kind);
  const tabs: readonly TabItem<Tab>[] = [
    ...(own ? [{ value: 'own' as const, label: own.label, content: <KindTab object={object} /> }] : []),
    { value: 'overview', label: 'Overview', content: <OverviewTab object={object} /> },
    ...(Use
      ? [
          {
            value: 'runs' as const,
            label: 'Runs',
            content: (
              <Suspense fallback={<RoutePending />}>
                <Use object={object} />
              </Suspense>
            ),
          },
        ]
      : []),
    ...(hasForm ? [{ value: 'form' as const, label: 'Form', content: <FormTab object={object} /> }] : []),
    { value: 'yaml', label: 'YAML', content: <YamlTab object={object} /> },
    ...(kind.keepsVersions && !gone
      ? [
          {
            value: 'versions' as const,
            label: 'Versions',
            content: (
              <Suspense fallback={<RoutePending />}>
                <VersionsTab object={object} />
              </Suspense>
            ),
          },
        ]
      : []),
    { value: 'relations', label: 'Relations', content: <RelationsTab object={object} /> },
    { value: 'events', label: 'Events', content: <EventsTab resource={resource} /> },
  ];
  const first = own ? 'own' : 'overview';
  const shown = tabs.find(({ value }) => value === tab)?.value ?? first;
  const show = (next: Tab) => setState({ tab: next === first ? 'first' : next }, { push: true });
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <RecreatedNotice resource={resource} />
      {gone && <DeletedBanner resource={resource} scope={scope} listTitle={kindsTitle(kind)} />}
      <ObjectHeader
        kind={kind}
        resource={resource}
        scope={scope}
        actions={gone ? undefined : actions}
        onEdit={() => show(hasForm ? 'form' : 'yaml')}
      />
      {isCrdManaged(resource) && (
        <Banner tone="warn">A cluster’s custom resource manages this object and overwrites changes made here. Change it there.</Banner>
      )}
      <Tabs label={`Parts of ${object.name}`} value={shown} tabs={tabs} onChange={show} />
      {actions.dialogs}
    </div>
  );
}

function Frame({ kind, object }: ObjectViewProps) {
  const { scope } = useScope();
  return (
    <PageHeader
      crumbs={[{ label: kindsTitle(kind), href: kindAddress(scope, kind.kind) }, { label: object.namespace }]}
      title={object.name}
    />
  );
}

function Loading(props: ObjectViewProps) {
  return (
    <div aria-busy>
      <Frame {...props} />
      <SkeletonLines widths={['w-1/4', 'w-1/2', 'w-1/3']} className="px-6 py-4" />
    </div>
  );
}

function Missing({ kind, object }: ObjectViewProps) {
  const { scope } = useScope();
  return (
    <>
      <Frame kind={kind} object={object} />
      <EmptyState
        cause="none"
        icon={<SearchX />}
        title={`There is no ${kindWord(kind.kind, 1)} ${object.name}`}
        action={
          <>
            <LinkButton href={kindAddress(scope, kind.kind)}>All {kindWord(kind.kind, 2)}</LinkButton>
            {!isCreatedByService(kind.kind) && (
              <LinkButton variant="primary" href={createAddress(object.namespace, kind.kind, { name: object.name })}>
                Create it
              </LinkButton>
            )}
          </>
        }
      >
        Namespace {object.namespace} has none of this name. It may have been deleted, or be in another namespace.
      </EmptyState>
    </>
  );
}

function Failed({ kind, object, error, onRetry }: ObjectViewProps & { readonly error: unknown; readonly onRetry: () => void }) {
  return (
    <>
      <Frame kind={kind} object={object} />
      <LoadFailure
        error={error}
        title={`${kindTitle(kind)} ${object.name} could not be loaded`}
        forbidden={`You may not see this ${kindWord(kind.kind, 1)}`}
        onRetry={onRetry}
        className="mx-6 max-w-3xl"
      />
    </>
  );
}

/** The shown object was deleted, and the page now shows a new object of that name: nothing else distinguishes them. */
function RecreatedNotice({ resource: { metadata } }: { readonly resource: Resource }) {
  const [known, setKnown] = useState(metadata.uid);
  if (known === metadata.uid) return null;
  return (
    <Banner
      tone="warn"
      icon={<RefreshCw />}
      action={
        <Button size="sm" onClick={() => setKnown(metadata.uid)}>
          Understood
        </Button>
      }
    >
      {metadata.name} was deleted and created again <Time sentence at={metadata.createdAt} />. This is the new one.
    </Banner>
  );
}
