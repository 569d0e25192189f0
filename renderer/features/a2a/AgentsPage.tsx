// Agents over A2A: systems of this server with the cards that it serves, and remote agents that Tools name.
import { useQuery } from '@tanstack/react-query';
import { Globe, RefreshCw, Share2 } from 'lucide-react';
import { callRest } from '../../live/rest.ts';
import { kindAddress } from '../../navigation/addresses.ts';
import { usePageTitle } from '../../navigation/page-title.ts';
import { useScope } from '../../navigation/scope.ts';
import { Button } from '../../ui/button/Button.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { QueryState } from '../../ui/feedback/QueryState.tsx';
import { LinkButton } from '../../ui/button/LinkButton.tsx';
import { PageHeader } from '../../ui/layout/PageHeader.tsx';
import { readRegistry, type AgentRegistry } from './model/registry.ts';
import { LocalAgentRow } from './parts/LocalAgentRow.tsx';
import { RemoteAgentRow } from './parts/RemoteAgentRow.tsx';
import { RowList } from '../../ui/table/RowList.tsx';

export function AgentsPage() {
  usePageTitle('A2A agents');
  const { scope, namespace } = useScope();
  const query = useQuery({
    queryKey: ['a2a-agents'],
    queryFn: async ({ signal }) => readRegistry((await callRest('/v1/a2a/agents', { signal })).body),
    // Cards of remote agents change without a change of this server's objects.
    refetchOnWindowFocus: true,
    staleTime: 0,
  });
  const { data, isFetching, refetch } = query;
  const shown = data && inNamespace(data, namespace);
  return (
    <>
      <PageHeader
        title="A2A agents"
        meta={data && countsText(data, shown ?? data)}
        actions={
          <Button icon={<RefreshCw />} busy={isFetching} onClick={() => void refetch()}>
            Refresh
          </Button>
        }
      />
      <div className="flex flex-col gap-4 px-6 pb-10 max-sm:px-4">
        <QueryState query={query} title="The agents could not be loaded" skeleton="h-60 rounded-lg" />
        {shown && <LocalAgents registry={shown} scope={scope} />}
        {shown && <RemoteAgents registry={shown} scope={scope} />}
      </div>
    </>
  );
}

function inNamespace({ local, remote }: AgentRegistry, namespace: string | undefined): AgentRegistry {
  const here = (agent: { readonly namespace: string }) => namespace === undefined || agent.namespace === namespace;
  return { local: local.filter(here), remote: remote.filter(here) };
}

function countsText(all: AgentRegistry, shown: AgentRegistry): string {
  const hidden = all.local.length + all.remote.length - shown.local.length - shown.remote.length;
  const counts = `${shown.local.length} local, ${shown.remote.length} remote`;
  return hidden === 0 ? counts : `${counts}; ${hidden} in other namespaces`;
}

interface PartProps {
  readonly registry: AgentRegistry;
  readonly scope: string;
}

function LocalAgents({ registry: { local }, scope }: PartProps) {
  return (
    <Card flush title="Local agents" description="Systems of this server that other agents may call, with the cards that it serves.">
      {local.length === 0 ? (
        <EmptyState
          cause="none"
          icon={<Share2 />}
          title="No system is open to A2A"
          className="py-8"
          action={<LinkButton href={kindAddress(scope, 'AgentSystem')}>Agent systems</LinkButton>}
        >
          Set <code className="font-mono text-sm">spec.a2a.enabled</code> of an agent system to open it.
        </EmptyState>
      ) : (
        <RowList label="Local agents">
          {local.map((agent) => (
            <LocalAgentRow key={`${agent.namespace}/${agent.system}`} agent={agent} scope={scope} />
          ))}
        </RowList>
      )}
    </Card>
  );
}

function RemoteAgents({ registry: { remote }, scope }: PartProps) {
  return (
    <Card flush title="Remote agents" description="Agents of other servers that Tools of type a2a name, with the state of their cards.">
      {remote.length === 0 ? (
        <EmptyState
          cause="none"
          icon={<Globe />}
          title="No remote agents"
          className="py-8"
          action={<LinkButton href={kindAddress(scope, 'Tool')}>Tools</LinkButton>}
        >
          A Tool of type a2a names a remote agent and makes it callable for agents of this server.
        </EmptyState>
      ) : (
        <RowList label="Remote agents">
          {remote.map((agent) => (
            <RemoteAgentRow key={`${agent.namespace}/${agent.name}`} agent={agent} scope={scope} />
          ))}
        </RowList>
      )}
    </Card>
  );
}
