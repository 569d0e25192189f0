// Who may call what, at a glance: agents by tools of a namespace or of one system. A cell leads to the whole answer.
import { useQuery } from '@tanstack/react-query';
import { Download, RotateCw, Square } from 'lucide-react';
import { useMemo } from 'react';
import { api } from '../../live/api.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ErrorCard } from '../../ui/ErrorCard.tsx';
import { formatNumber } from '../../ui/format.ts';
import { download } from '../../ui/large-text.ts';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { AGENTS_MAX, matrixCsv, TOOLS_MAX } from './matrix.ts';
import { MatrixGrid } from './MatrixGrid.tsx';
import { useMatrix, type MatrixQuestion } from './use-matrix.ts';

export interface MatrixCardProps {
  readonly namespace: string;
  /** Empty: every agent of the namespace. */
  readonly system: string;
  readonly agent: string;
  readonly tool: string;
  readonly onPick: (agent: string, tool: string) => void;
}

export function MatrixCard({ namespace, system, agent, tool, onPick }: MatrixCardProps) {
  const { question, cut, loading, error, retry } = useQuestion(namespace, system);
  const { cells, busy, stop, again } = useMatrix(question);
  const all = question ? question.agents.length * question.tools.length : 0;
  return (
    <Card
      title="Who may call what"
      description={system === '' ? `Agents and tools of ${namespace}` : `Agents of system ${system}, tools of ${namespace}`}
      actions={
        all > 0 && (
          <div className="flex items-center gap-2">
            <span role="status" className="text-sm text-muted tabular-nums">
              {busy ? `${formatNumber(cells.size)} of ${formatNumber(all)}` : ''}
            </span>
            {busy ? (
              <Button size="sm" icon={<Square />} onClick={stop}>
                Stop
              </Button>
            ) : (
              <Button size="sm" icon={<RotateCw />} onClick={again}>
                Ask again
              </Button>
            )}
            <Button
              size="sm"
              icon={<Download />}
              disabled={cells.size === 0}
              onClick={() => question && download(`access-${namespace}.csv`, matrixCsv(question.agents, question.tools, cells))}
            >
              CSV
            </Button>
          </div>
        )
      }
      footer={cut && `Shown are the first ${AGENTS_MAX} agents and ${TOOLS_MAX} tools. Choose a system to narrow them.`}
      flush
    >
      {error != null && <ErrorCard error={error} title="The agents and tools could not be loaded" onRetry={retry} className="m-4" />}
      {loading && error == null && <Skeleton className="m-4 h-24" />}
      {!loading && error == null && all === 0 && (
        <EmptyState cause="none" title="Nothing to compare" className="py-10">
          The matrix needs an agent and a tool in this namespace.
        </EmptyState>
      )}
      {question && all > 0 && (
        <MatrixGrid agents={question.agents} tools={question.tools} cells={cells} picked={{ agent, tool }} onPick={onPick} />
      )}
    </Card>
  );
}

function useQuestion(namespace: string, system: string) {
  const agents = useQuery(api.resources.list.queryOptions({ kind: 'Agent', namespace, order: 'name', limit: AGENTS_MAX }));
  const tools = useQuery(api.resources.list.queryOptions({ kind: 'Tool', namespace, order: 'name', limit: TOOLS_MAX }));
  const one = useQuery(
    api.resources.get.queryOptions({ kind: 'AgentSystem', namespace, name: system }, { enabled: system !== '', retry: false }),
  );
  const members = system === '' ? undefined : (one.data?.spec['agents'] as readonly string[] | undefined);
  const key = JSON.stringify([
    members ?? agents.data?.items.map(({ metadata }) => metadata.name),
    tools.data?.items.map(({ metadata }) => metadata.name),
  ]);
  const ready = agents.data !== undefined && tools.data !== undefined && (system === '' || !one.isPending);
  const question = useMemo((): MatrixQuestion | undefined => {
    if (!ready) return undefined;
    const [agentNames = [], toolNames = []] = JSON.parse(key) as (string[] | null)[];
    return { namespace, system, agents: (agentNames ?? []).slice(0, AGENTS_MAX), tools: toolNames ?? [] };
  }, [ready, key, namespace, system]);
  return {
    question,
    cut:
      (members === undefined && agents.data?.continue !== undefined) ||
      tools.data?.continue !== undefined ||
      (members?.length ?? 0) > AGENTS_MAX,
    loading: !ready,
    error: agents.error ?? tools.error,
    retry: () => void Promise.all([agents.refetch(), tools.refetch()]),
  };
}
