// One run: its past and current steps, and its waits.
import { Suspense, useEffect, useRef, type ReactNode } from 'react';
import { ALL_NAMESPACES, kindAddress } from '../../../navigation/addresses.ts';
import { useAddressParam, useScope } from '../../../navigation/scope.ts';
import { choiceParam, useSearchState } from '../../../navigation/search-state.ts';
import { announce } from '../../../ui/feedback/announcer.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { MissingObject } from '../../../ui/feedback/MissingObject.tsx';
import { LinkButton } from '../../../ui/button/LinkButton.tsx';
import { Skeleton, LoadingSkeleton } from '../../../ui/feedback/Skeleton.tsx';
import { phaseLook } from '../../../ui/status/phases.ts';
import { Tabs, type TabItem } from '../../../ui/layout/Tabs.tsx';
import { useRunTrace, type RunTrace } from '../../trace/model/use-run-trace.ts';
import { SpanPanel } from '../../trace/parts/SpanPanel.tsx';
import { BreakpointCard } from '../../trials/parts/BreakpointCard.tsx';
import { RunNodeTrials } from '../../trials/parts/NodeTrialButtons.tsx';
import { TrialLine } from '../../trials/parts/trial-marks.tsx';
import { RunResult } from './RunResult.tsx';
import { TimelineTab } from './TimelineTab.tsx';
import { useFailingSpan } from './use-failing-span.ts';
import { RunActions } from '../actions/RunActions.tsx';
import { RunHeader } from './RunHeader.tsx';
import { isTemplate, outcomeOf, refOf, TASK, type Run } from '../model/run.ts';
import { useRunApprovals } from '../model/use-run-approvals.ts';
import { useJournalRefresh, useMetrics, useRun } from '../model/use-run.ts';
import { lazyPart } from '../../../ui/lazy-part.ts';

// The first tab loads with the page: a chunk loaded afterwards appears only after a pause.
const MessagesTab = lazyPart(async () => (await import('./MessagesTab.tsx')).MessagesTab);
const LogsTab = lazyPart(async () => (await import('./LogsTab.tsx')).LogsTab);
const MetricsTab = lazyPart(async () => (await import('./MetricsTab.tsx')).MetricsTab);
const CostTab = lazyPart(async () => (await import('./CostTab.tsx')).CostTab);
const DataTab = lazyPart(async () => (await import('./DataTab.tsx')).DataTab);
const ApprovalsTab = lazyPart(async () => (await import('./ApprovalsTab.tsx')).ApprovalsTab);
const ExplainTab = lazyPart(async () => (await import('./ExplainTab.tsx')).ExplainTab);
const RelatedTab = lazyPart(async () => (await import('./RelatedTab.tsx')).RelatedTab);
const YamlTab = lazyPart(async () => (await import('./YamlTab.tsx')).YamlTab);
/** A template is edited like any other object. */
const TemplateForm = lazyPart(async () => (await import('../../explorer/parts/FormTab.tsx')).FormTab);
const TemplateYaml = lazyPart(async () => (await import('../../explorer/parts/YamlTab.tsx')).YamlTab);

const TABS = ['graph', 'messages', 'logs', 'metrics', 'cost', 'io', 'form', 'approvals', 'explain', 'yaml', 'related'] as const;
type Tab = (typeof TABS)[number];
const PARAMS = { tab: choiceParam(TABS) };

export function RunPage() {
  const namespace = useAddressParam('ns');
  const name = useAddressParam('name');
  const { scope } = useScope();
  const { run, loading, error, deleted, retry } = useRun({ namespace, name }, name !== '');
  // Requested together with the run itself.
  const trace = useRunTrace({ namespace, name, uid: run?.metadata.uid });
  if (run !== undefined) return <LoadedRun key={run.metadata.uid} run={run} scope={scope} deleted={deleted} trace={trace} />;
  if (loading && error === null)
    return <LoadingSkeleton label="Loading the run" className="gap-4 p-6" parts={['h-6 w-64', 'h-4 w-96', 'h-64 w-full']} />;
  const list = (
    <LinkButton variant="primary" href={kindAddress(scope === ALL_NAMESPACES ? ALL_NAMESPACES : namespace, 'Task')}>
      All runs of {namespace}
    </LinkButton>
  );
  return <MissingObject noun="run" namespace={namespace} name={name} error={error} onRetry={retry} list={list} />;
}

/** Props of the parts of the page. */
export interface RunPartProps {
  readonly run: Run;
  readonly scope: string;
  readonly trace: RunTrace;
}

export interface LoadedRunProps extends RunPartProps {
  readonly deleted: boolean;
}

/** Announces each new state: the badge that shows it changes without a word. */
function useStateAnnouncement(run: Run): void {
  const state = phaseLook(outcomeOf(run)).label;
  const announced = useRef(state);
  useEffect(() => {
    if (announced.current === state) return;
    announced.current = state;
    announce(`State of the run: ${state}`);
  }, [state]);
}

function LoadedRun({ run, scope, deleted, trace }: LoadedRunProps) {
  useJournalRefresh(run);
  useFailingSpan(run, trace);
  useStateAnnouncement(run);
  const [{ tab }] = useSearchState(PARAMS);
  const template = isTemplate(run);
  const ready = trace.state.phase !== 'loading';
  const turnActions = (agent: string) => !deleted && <RunNodeTrials run={run} scope={scope} agent={agent} />;
  return (
    // The details of a span take the full height beside the page, which scrolls on its own.
    <div className="flex min-h-0 min-w-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col overflow-y-auto">
        <RunHeader
          run={run}
          scope={scope}
          deleted={deleted}
          ready={ready}
          actions={<RunActions run={run} scope={scope} deleted={deleted} trace={trace} />}
        />
        {deleted && <Banner tone="danger">This run was deleted while it was open. Its last state stays until you leave the page.</Banner>}
        {template && <Banner tone="info">A template is never run itself. Schedules and webhooks start runs from it.</Banner>}
        {run.spec.trial && (
          <>
            <div className="px-6 pt-2.5 max-sm:px-4">
              <TrialLine run={run} scope={scope} />
            </div>
            <BreakpointCard run={run} trace={trace} deleted={deleted} ownsPage className="px-6 pt-3 max-sm:px-4" />
          </>
        )}
        {!template && <RunResult run={run} scope={scope} deleted={deleted} trace={trace} />}
        <RunTabs run={run} scope={scope} trace={trace} />
      </div>
      {!template && tab === 'graph' && (
        <SpanPanel trace={trace} namespace={run.metadata.namespace} run={run.metadata.name} turnActions={turnActions} />
      )}
    </div>
  );
}

function RunTabs({ run, scope, trace }: RunPartProps) {
  const [{ tab }, setState] = useSearchState(PARAMS);
  const { data: metrics } = useMetrics(run, trace.state.phase !== 'loading');
  const { approvals } = useRunApprovals(run);
  const item = (value: Tab, label: string, content: ReactNode): TabItem<Tab> => ({
    value,
    label,
    content: <Suspense fallback={<Skeleton className="m-6 h-24" />}>{content}</Suspense>,
  });
  const ran = !isTemplate(run);
  const tabs: readonly TabItem<Tab>[] = [
    ...(ran
      ? [
          item('graph', 'Timeline', <TimelineTab run={run} scope={scope} trace={trace} />),
          { ...item('messages', 'Messages', <MessagesTab run={run} />), count: metrics?.totals.messages },
          item('logs', 'Logs', <LogsTab run={run} />),
          item('metrics', 'Metrics', <MetricsTab run={run} />),
          item('cost', 'Cost', <CostTab run={run} scope={scope} trace={trace} />),
        ]
      : []),
    item('io', ran ? 'Input and output' : 'Input', <DataTab run={run} />),
    ...(ran
      ? [
          {
            ...item('approvals', 'Approvals', <ApprovalsTab run={run} scope={scope} />),
            count: approvals.length > 0 ? approvals.length : undefined,
          },
          item('explain', 'Explain', <ExplainTab run={run} scope={scope} />),
        ]
      : [item('form', 'Form', <TemplateForm object={{ kind: TASK, ...refOf(run) }} />)]),
    item('yaml', 'YAML', ran ? <YamlTab run={run} /> : <TemplateYaml object={{ kind: TASK, ...refOf(run) }} />),
    item('related', 'Related', <RelatedTab run={run} scope={scope} />),
  ];
  const shown = tabs.some(({ value }) => value === tab) ? tab : 'io';
  return (
    <Tabs
      label="Parts of the run"
      value={shown}
      tabs={tabs}
      onChange={(next) => setState({ tab: next }, { push: true })}
      className="mt-1"
      panelClassName="overflow-visible"
    />
  );
}
