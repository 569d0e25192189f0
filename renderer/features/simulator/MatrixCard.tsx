// Access matrix: agents by tools of a namespace or of one system. A cell leads to the whole answer.
import { MEMORY_OPERATIONS, memoryToolName } from '@svc/shared/kinds/tool/built-in';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Download, RotateCw, Square } from 'lucide-react';
import { useMemo, useState } from 'react';
import { isObject } from '@svc/shared/json';
import { parseRef } from '@svc/shared/resource';
import { specOf } from '../../kinds/read.ts';
import { api } from '../../live/api.ts';
import { Button } from '../../ui/button/Button.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { formatNumber } from '../../ui/status/format.ts';
import { download } from '../../ui/text/large-text.ts';
import { Skeleton } from '../../ui/feedback/Skeleton.tsx';
import { AGENTS_MAX, matrixCsv, quietAgents, TOOLS_MAX, wouldChange, type Cells } from './matrix.ts';
import { MatrixGrid } from './MatrixGrid.tsx';
import { useChangedMatrix, useMatrix, type MatrixQuestion } from './use-matrix.ts';
import { withDrafted, type Documents } from './what-if.ts';

const NONE: Documents = [];

export interface MatrixCardProps {
  readonly namespace: string;
  /** Empty: every agent of the namespace. */
  readonly system: string;
  readonly agent: string;
  readonly tool: string;
  /** A tried change. */
  readonly documents: Documents | undefined;
  readonly onPick: (agent: string, tool: string) => void;
}

export function MatrixCard({ namespace, system, agent, tool, documents, onPick }: MatrixCardProps) {
  const { question, cut, loading, error, retry } = useQuestion(namespace, system, documents);
  const { cells: now, busy, stop, again, round } = useMatrix(question);
  const { cells: then, failed } = useChangedMatrix(question, documents, round);
  const changes = [...then].filter(([key, cell]) => wouldChange(now.get(key), cell)).length;
  const cells = { now, then };
  const all = question ? question.agents.length * question.tools.length : 0;
  const [unfolded, setUnfolded] = useState(false);
  const quiet = useFolded({ question, cells, agent, checked: !busy });
  const folded = unfolded ? [] : quiet;
  return (
    <Card
      title="Access matrix"
      description={
        system === ''
          ? `Agents and tools of ${namespace}. Choose a cell for its reasons.`
          : `Agents of system ${system}, tools of ${namespace}`
      }
      actions={
        all > 0 && (
          <div className="flex items-center gap-2">
            <span role="status" className="text-sm text-muted tabular-nums">
              {busy ? countText(now.size, all) : documents ? triedText({ tried: then.size, all, changes, failed }) : ''}
            </span>
            {busy ? (
              <Button size="sm" icon={<Square />} onClick={stop}>
                Stop
              </Button>
            ) : (
              <Button size="sm" icon={<RotateCw />} onClick={again}>
                Check again
              </Button>
            )}
            <Button
              size="sm"
              icon={<Download />}
              disabled={now.size === 0}
              onClick={() => question && download(`access-${namespace}.csv`, matrixCsv(question.agents, question.tools, cells))}
            >
              CSV
            </Button>
          </div>
        )
      }
      footer={
        (cut || quiet.length > 0) && <Foot cut={cut} quiet={quiet.length} unfolded={unfolded} onFold={() => setUnfolded(!unfolded)} />
      }
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
        <MatrixGrid
          agents={question.agents.filter((each) => !folded.includes(each))}
          tools={question.tools}
          cells={cells}
          picked={{ agent, tool }}
          onPick={onPick}
        />
      )}
    </Card>
  );
}

interface FootProps {
  readonly cut: boolean;
  /** Number of agents that can be folded. */
  readonly quiet: number;
  readonly unfolded: boolean;
  readonly onFold: () => void;
}

function Foot({ cut, quiet, unfolded, onFold }: FootProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      {cut && <span>{`Shown are the first ${AGENTS_MAX} agents and ${TOOLS_MAX} tools. Choose a system to narrow them.`}</span>}
      {quiet > 0 && (
        <Button variant="link" size="sm" aria-expanded={unfolded} onClick={onFold}>
          {unfolded ? 'Hide' : 'Show'} {quiet} agents without these tools
        </Button>
      )}
    </div>
  );
}

/** Fewer rows are shown as they are. */
const FOLDED_MIN = 4;

interface FoldedOf {
  readonly question: MatrixQuestion | undefined;
  readonly cells: Cells;
  /** The chosen agent, which stays. */
  readonly agent: string;
  readonly checked: boolean;
}

/** Agents whose rows say nothing, once all cells are known; none where no other row would be left. */
function useFolded({ question, cells: { now, then }, agent, checked }: FoldedOf): readonly string[] {
  return useMemo(() => {
    if (!question || !checked) return [];
    const quiet = quietAgents(question.agents, question.tools, { now, then }).filter((each) => each !== agent);
    return quiet.length < FOLDED_MIN || quiet.length === question.agents.length ? [] : quiet;
  }, [question, now, then, agent, checked]);
}

/** Built-in tools that some of these agents have. */
function memoryTools(agents: readonly { readonly spec?: unknown }[]): string[] {
  const allowed = new Set(agents.flatMap(({ spec }) => specOf('Agent', { spec: isObject(spec) ? spec : {} }).memory?.allow ?? []));
  return MEMORY_OPERATIONS.filter((each) => allowed.has(each)).map(memoryToolName);
}

const countText = (count: number, all: number) => `${formatNumber(count)} of ${formatNumber(all)}`;

interface MatrixProgress {
  readonly tried: number;
  readonly all: number;
  readonly changes: number;
  readonly failed: string | undefined;
}

/** Summary of the changes, shown once all of them are known. */
function triedText({ tried, all, changes, failed }: MatrixProgress): string {
  if (tried >= all) return changesText(changes);
  return failed === undefined ? `${countText(tried, all)} tried` : `${countText(tried, all)} tried: ${failed}`;
}

const changesText = (count: number) =>
  count === 1 ? '1 cell would change' : `${count === 0 ? 'No' : formatNumber(count)} cells would change`;

function useQuestion(namespace: string, system: string, documents: Documents = NONE) {
  const agents = useQuery(api.resources.list.queryOptions({ kind: 'Agent', namespace, order: 'name', limit: AGENTS_MAX }));
  const tools = useQuery(api.resources.list.queryOptions({ kind: 'Tool', namespace, order: 'name', limit: TOOLS_MAX }));
  const one = useQuery(
    api.resources.get.queryOptions({ kind: 'AgentSystem', namespace, name: system }, { enabled: system !== '', retry: false }),
  );
  const members = system !== '' && one.data ? specOf('AgentSystem', one.data).agents : undefined;
  const at = { documents, home: namespace };
  const byName = new Map(agents.data?.items.map((agent) => [agent.metadata.name, agent]));
  // Members of a system beyond the page of agents, or in another namespace.
  const others = useQueries({
    queries: (members ?? [])
      .slice(0, AGENTS_MAX)
      .filter((member) => agents.data !== undefined && !byName.has(member))
      .map((member) => api.resources.get.queryOptions({ kind: 'Agent', ...parseRef(member, namespace) }, { retry: false })),
  });
  const asked = members?.flatMap((member) => byName.get(member) ?? []) ?? agents.data?.items ?? [];
  const memory = memoryTools([...asked, ...others.flatMap(({ data }) => data ?? []), ...documents.filter(({ kind }) => kind === 'Agent')]);
  const names = (list: typeof agents) => list.data?.items.map(({ metadata }) => metadata.name) ?? [];
  const key = JSON.stringify([members ?? withDrafted(names(agents), 'Agent', at), withDrafted(names(tools), 'Tool', at), memory]);
  const ready =
    agents.data !== undefined &&
    tools.data !== undefined &&
    (system === '' || !one.isPending) &&
    others.every(({ isPending }) => !isPending);
  const question = useMemo((): MatrixQuestion | undefined => {
    if (!ready) return undefined;
    const [agentNames = [], toolNames = [], memoryNames = []] = JSON.parse(key) as string[][];
    return { namespace, system, agents: agentNames.slice(0, AGENTS_MAX), tools: [...toolNames.slice(0, TOOLS_MAX), ...memoryNames] };
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
