// The page of a new experiment: the systems that it may run, and its form.
import { useQueries, useQuery } from '@tanstack/react-query';
import { FileCode2, FlaskConical } from 'lucide-react';
import { createAddress, kindAddress, objectAddress } from '../../navigation/addresses.ts';
import { usePageTitle } from '../../navigation/page-title.ts';
import { useScope } from '../../navigation/scope.ts';
import { listParam, textParam, useSearchState } from '../../navigation/search-state.ts';
import { specOf } from '../../kinds/read.ts';
import { api } from '../../live/api.ts';
import { useCanEdit } from '../../sign-in/can-write.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { QueryState } from '../../ui/feedback/QueryState.tsx';
import { Skeleton } from '../../ui/feedback/Skeleton.tsx';
import { LinkButton } from '../../ui/button/LinkButton.tsx';
import { useNavigation } from '../../ui/link/navigation.ts';
import { PageHeader } from '../../ui/layout/PageHeader.tsx';
import { EXPERIMENT, emptyDraft } from './model/draft.ts';
import { inputText } from './parts/CasesField.tsx';
import { ExperimentForm } from './parts/ExperimentForm.tsx';

const SYSTEM = 'AgentSystem';
const SYSTEMS_MAX = 500;
const PARAMS = { system: textParam, agent: textParam, run: listParam };

export function NewExperimentPage() {
  const { scope, home } = useScope();
  const { reason } = useCanEdit();
  usePageTitle('New experiment');
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      <PageHeader
        crumbs={[{ label: 'Experiments', href: kindAddress(scope, EXPERIMENT) }, { label: 'New' }]}
        title="New experiment"
        meta={<span>Runs cases with several versions of the definitions, as trials. Outputs are shown side by side.</span>}
        actions={
          <LinkButton icon={<FileCode2 />} href={createAddress(home, EXPERIMENT, { tab: 'yaml' })}>
            Write it as YAML
          </LinkButton>
        }
      />
      {reason !== undefined && (
        <Banner tone="neutral" className="mb-4">
          {reason}
        </Banner>
      )}
      <Systems />
    </div>
  );
}

/** Cases with the inputs of runs, once all are read; `unread` names those that cannot be. */
function useFirstCases(namespace: string, runs: readonly string[]) {
  return useQueries({
    queries: runs.map((name) => api.resources.get.queryOptions({ kind: 'Task', namespace, name }, { retry: false })),
    combine: (results) => ({
      pending: results.some(({ isPending }) => isPending),
      unread: runs.filter((_name, at) => results[at]?.error != null),
      cases: results.flatMap(({ data }, at) => (data ? [{ id: at + 1, name: data.metadata.name, text: inputText(data) }] : [])),
    }),
  });
}

function Systems() {
  const { home } = useScope();
  const { go } = useNavigation();
  const [start] = useSearchState(PARAMS);
  const query = useQuery(api.resources.list.queryOptions({ kind: SYSTEM, namespace: home, order: 'name', limit: SYSTEMS_MAX }));
  const { pending, unread, cases } = useFirstCases(home, start.run);
  if (!query.data) return <QueryState query={query} title="The systems could not be loaded" skeleton="h-40" className="m-6" />;
  const systems = query.data.items.map((system) => ({ name: system.metadata.name, agents: specOf(SYSTEM, system).agents ?? [] }));
  const fitting = systems.filter(({ agents }) => start.agent === '' || agents.includes(start.agent));
  const first = fitting.find(({ name }) => name === start.system) ?? (start.system === '' ? fitting[0] : undefined);
  if (systems.length === 0)
    return (
      <EmptyState
        cause="none"
        icon={<FlaskConical />}
        title="There is no system to run"
        action={
          <LinkButton variant="primary" href={createAddress(home, SYSTEM)}>
            Create a system
          </LinkButton>
        }
      >
        An experiment runs an agent system over cases. Create one first.
      </EmptyState>
    );
  if (pending) return <Skeleton className="m-6 h-40" />;
  return (
    <>
      {unread.length > 0 && (
        <Banner tone="warn" className="mx-6 mb-4 max-sm:mx-4">
          These runs could not be read, so their inputs are not among the cases: {unread.join(', ')}.
        </Banner>
      )}
      <ExperimentForm
        className="max-w-5xl px-6 pb-8 max-sm:px-4"
        systems={systems}
        first={{ ...emptyDraft(first?.name ?? ''), cases }}
        namespace={home}
        onStarted={(name) => go(objectAddress({ kind: EXPERIMENT, namespace: home, name }))}
      />
    </>
  );
}
