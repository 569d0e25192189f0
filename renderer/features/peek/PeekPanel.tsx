// The inspector of the console: one object of any kind beside the page, with its overview, YAML and relations.
import { ExternalLink } from 'lucide-react';
import { Suspense, type ComponentType } from 'react';
import { useBeside } from '../../inspector/covered.ts';
import { useInspected, useInspector } from '../../inspector/inspector-context.ts';
import type { Peek, PeekTab } from '../../inspector/peek.ts';
import { kindNamed } from '../../kinds/kind-table.ts';
import { StatePill } from '../../kinds/StatePill.tsx';
import { kindTitle } from '../../kinds/kind-titles.ts';
import { KindIcon } from '../../kinds/KindIcon.tsx';
import { approvalAddress, objectAddress, type ObjectRef } from '../../navigation/addresses.ts';
import { useScope } from '../../navigation/scope.ts';
import { useShortcut } from '../../shortcuts/use-shortcut.ts';
import { Badge } from '../../ui/status/Badge.tsx';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { LoadFailure } from '../../ui/feedback/LoadFailure.tsx';
import { Inspector } from '../../ui/overlay/Inspector.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import { LinkButton } from '../../ui/button/LinkButton.tsx';
import { RoutePending } from '../../ui/feedback/RoutePending.tsx';
import { Tabs } from '../../ui/layout/Tabs.tsx';
import { Time } from '../../ui/status/Time.tsx';
import { useObject, type ObjectState } from '../explorer/model/use-object.ts';
import { OverviewTab } from '../explorer/parts/OverviewTab.tsx';
import { RelationsTab } from '../explorer/parts/RelationsTab.tsx';

/** Editors are heavy: they load with the tab. */
const ReadOnlyYaml = lazyPart(async () => (await import('../explorer/parts/ReadOnlyYaml.tsx')).ReadOnlyYaml);

/** Kinds whose overview shows more than their fields. */
const OVERVIEWS: Readonly<Record<string, ComponentType<{ readonly object: ObjectRef }>>> = {
  Task: lazyPart(async () => (await import('../runs/parts/RunSummary.tsx')).RunSummary),
  Worker: lazyPart(async () => (await import('../workers/parts/WorkerDetails.tsx')).WorkerDetails),
};

export function PeekPanel() {
  const { peek, focus } = useInspected();
  const inspector = useInspector();
  const beside = useBeside();
  const close = () => inspector?.close();
  useShortcut({
    id: 'peek.close',
    keys: 'escape',
    label: 'Close the inspector',
    group: 'Everywhere',
    quiet: true,
    when: peek !== undefined,
    run: close,
  });
  if (!peek) return null;
  return (
    <Inspector
      title={<Title peek={peek} />}
      subject={`${peek.kind}/${peek.namespace}/${peek.name}`}
      storageKey="peek"
      takesFocus={focus || !beside}
      opener={inspector?.opener}
      onClose={close}
      covered={false}
      actions={<OpenPage peek={peek} />}
    >
      <Body peek={peek} onTab={(tab) => inspector?.open(peek, { tab, focus })} />
    </Inspector>
  );
}

function Title({ peek: { kind, name } }: { readonly peek: Peek }) {
  const known = kindNamed(kind);
  return (
    <span className="flex min-w-0 items-center gap-2">
      <KindIcon kind={kind} className="size-4 shrink-0 text-muted" />
      <span className="sr-only">{known ? kindTitle(known) : kind}: </span>
      <span className="truncate">{name}</span>
    </span>
  );
}

function OpenPage({ peek }: { readonly peek: Peek }) {
  const { scope } = useScope();
  const approval = kindNamed(peek.kind)?.area === 'inbox';
  const href = approval ? approvalAddress(scope, peek) : objectAddress(peek, scope);
  return (
    <LinkButton size="sm" href={href} icon={<ExternalLink />}>
      {approval ? 'Open in inbox' : 'Open page'}
    </LinkButton>
  );
}

interface BodyProps {
  readonly peek: Peek;
  readonly onTab: (tab: PeekTab) => void;
}

function Body({ peek, onTab }: BodyProps) {
  const found = useObject(peek, { brief: (kindNamed(peek.kind)?.heavyStatusFields.length ?? 0) > 0 });
  if (found.state === 'loading') return <RoutePending />;
  if (found.state === 'missing') {
    return (
      <EmptyState cause="none" title={`${peek.name} does not exist`}>
        Namespace {peek.namespace} has no object of this kind and name. It may have been deleted.
      </EmptyState>
    );
  }
  if (found.state === 'failed')
    return (
      <LoadFailure
        error={found.error}
        title={`${peek.name} could not be loaded`}
        forbidden="You may not see this object"
        onRetry={found.retry}
        className="m-4"
      />
    );
  const object: ObjectRef = { kind: peek.kind, namespace: peek.namespace, name: peek.name };
  const Overview = OVERVIEWS[peek.kind] ?? OverviewTab;
  return (
    <div key={`${peek.kind}/${peek.namespace}/${peek.name}`} className="flex h-full min-h-0 flex-col">
      <Summary peek={peek} found={found} />
      <Suspense fallback={<RoutePending />}>
        <Tabs
          label={`Parts of ${peek.name}`}
          value={peek.tab}
          onChange={onTab}
          tabs={[
            { value: 'overview', label: 'Overview', content: <Overview object={object} /> },
            { value: 'yaml', label: 'YAML', content: <ReadOnlyYaml resource={found.resource} /> },
            { value: 'relations', label: 'Relations', content: <RelationsTab object={object} /> },
          ]}
        />
      </Suspense>
    </div>
  );
}

type Found = Extract<ObjectState, { readonly state: 'there' | 'deleted' }>;

/** State, kind, namespace and age, in one line under the title. */
function Summary({ peek, found: { state, resource } }: { readonly peek: Peek; readonly found: Found }) {
  const kind = kindNamed(peek.kind);
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 px-6 pt-3 pb-1 text-sm max-sm:px-4 text-muted">
      {state === 'deleted' && <Badge tone="danger">Deleted</Badge>}
      <StatePill kind={peek.kind} status={resource.status} />
      <span>{kind ? kindTitle(kind) : peek.kind}</span>
      <span>in {peek.namespace}</span>
      <span>
        created <Time at={resource.metadata.createdAt} sentence />
      </span>
    </p>
  );
}
