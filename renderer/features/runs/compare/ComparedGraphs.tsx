// Paths of two runs through their systems, side by side, and the parts that only one of them used.
import { Suspense, useMemo, useState } from 'react';
import { Button } from '../../../ui/button/Button.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Chip } from '../../../ui/status/Chip.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import type { RunOverlay } from '../../../graph/overlay.ts';
import { pathDifference } from './compare-runs.ts';
import { systemOf } from '../model/run.ts';
import type { ComparedRun } from './use-compared-run.ts';
import { useRunSystem } from '../run/use-run-system.ts';
import { lazyPart } from '../../../ui/lazy-part.ts';

const SystemGraph = lazyPart(async () => (await import('../../../graph/SystemGraph.tsx')).SystemGraph);

export interface ComparedGraphsProps {
  readonly left: ComparedRun;
  readonly right: ComparedRun;
}

function useOverlay({ trace: { store, version } }: ComparedRun): RunOverlay {
  return useMemo(() => store.overlay(version >= 0 ? store.entries.length : 0), [store, version]);
}

/** Without any entry nothing is known of a run, not even that an agent has not started. */
const isUnread = ({ trace: { store, state } }: ComparedRun): boolean =>
  store.entries.length === 0 && (state.phase === 'loading' || state.phase === 'failed');

export function ComparedGraphs({ left, right }: ComparedGraphsProps) {
  const [a, b] = [useOverlay(left), useOverlay(right)];
  const { onlyLeft, onlyRight, both } = useMemo(() => pathDifference(a, b), [a, b]);
  const unread = isUnread(left) || isUnread(right);
  const same = onlyLeft.length === 0 && onlyRight.length === 0;
  const [unfolded, setUnfolded] = useState(false);
  const folded = same && both > 0 && !unfolded;
  return (
    <Card title="Path" description={unread ? undefined : same ? (both === 0 ? undefined : 'Same path.') : 'Different paths.'} flush>
      {folded ? (
        <Button variant="ghost" size="sm" className="m-2" onClick={() => setUnfolded(true)}>
          Show both graphs
        </Button>
      ) : (
        <div className="grid gap-px bg-border md:grid-cols-2">
          <OneGraph run={left} overlay={a} />
          <OneGraph run={right} overlay={b} />
        </div>
      )}
      {!same && !unread && (
        <div className="grid gap-4 border-t border-border px-4 py-3 md:grid-cols-2">
          <Only label={`Only in ${left.run.metadata.name}`} names={onlyLeft} />
          <Only label={`Only in ${right.run.metadata.name}`} names={onlyRight} />
        </div>
      )}
    </Card>
  );
}

function Only({ label, names }: { readonly label: string; readonly names: readonly string[] }) {
  return (
    <div className="min-w-0">
      <h3 className="mb-1 truncate text-sm text-muted">{label}</h3>
      <div className="flex flex-wrap gap-1">
        {names.length === 0 && <span className="text-muted">nothing</span>}
        {names.map((name) => (
          <Chip key={name}>{name.replace('→', ' → ')}</Chip>
        ))}
      </div>
    </div>
  );
}

function OneGraph({ run, overlay }: { readonly run: ComparedRun; readonly overlay: RunOverlay }) {
  const system = useRunSystem(run.run);
  const home = systemOf(run.run).namespace;
  return (
    <div className="flex h-88 min-w-0 flex-col bg-surface">
      <h3 className="truncate px-4 pt-2 text-sm font-medium">{run.run.metadata.name}</h3>
      {system.loading && <Skeleton className="m-4 h-24" />}
      {system.deleted && <p className="px-4 py-2 text-muted">The system {run.run.spec.system} no longer exists.</p>}
      {system.error !== null && !system.deleted && (
        <ErrorCard
          className="m-4"
          title={`The system ${run.run.spec.system} could not be read`}
          error={system.error}
          onRetry={system.retry}
        />
      )}
      {system.spec !== undefined && (
        <Suspense fallback={<Skeleton className="m-4 h-24" />}>
          <SystemGraph
            label={`Path of ${run.run.metadata.name}`}
            namespace={home}
            spec={system.spec}
            annotations={system.annotations}
            overlay={isUnread(run) ? undefined : overlay}
          />
        </Suspense>
      )}
    </div>
  );
}
