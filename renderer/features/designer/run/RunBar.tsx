// The run shown on the canvas: its state, its page, and the button that stops following.
import { GitCompareArrows, RotateCw, X } from 'lucide-react';
import { objectAddress } from '../../../navigation/addresses.ts';
import { StatePill } from '../../../kinds/StatePill.tsx';
import { problemOf } from '../../../live/problem.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { LinkButton } from '../../../ui/button/LinkButton.tsx';
import { Switch } from '../../../ui/input/Switch.tsx';
import { BreakpointBadge, TrialBadge } from '../../trials/parts/trial-marks.tsx';
import type { RunAgain } from './use-run-again.ts';
import type { FollowedRun } from './use-run-overlay.ts';

export interface RunBarProps {
  readonly namespace: string;
  readonly task: string;
  readonly run: FollowedRun;
  /** Whether the view follows the running agent. */
  readonly follows: boolean;
  readonly onFollow: (follows: boolean) => void;
  readonly again: RunAgain;
  readonly onStop: () => void;
}

export function RunBar({ namespace, task, run, follows, onFollow, again, onStop }: RunBarProps) {
  return (
    <section
      aria-label="Run on the canvas"
      className="flex min-h-10 shrink-0 flex-wrap items-center gap-3 border-b border-border bg-sunken px-4 py-1"
    >
      <span className="text-sm text-muted">Run</span>
      <span className="min-w-0 truncate font-mono text-sm">{task}</span>
      <span role="status">{run.task && <StatePill kind="Task" status={run.task.status} />}</span>
      {run.task && (
        <>
          <BreakpointBadge run={run.task} />
          <TrialBadge run={run.task} />
        </>
      )}
      {run.error != null && <span className="text-sm text-danger">{problemOf(run.error).message}</span>}
      <span className="flex-1" />
      <Button
        size="sm"
        icon={<RotateCw />}
        busy={again.busy}
        disabledReason={again.reason}
        onClick={again.run}
        title="With the same input (R)"
      >
        Run again
      </Button>
      <IconButton
        size="sm"
        label="Run again and compare"
        icon={<GitCompareArrows />}
        disabledReason={again.reason ?? (again.busy ? 'A run is being started' : undefined)}
        onClick={again.compare}
      />
      <Switch checked={follows} label="Follow" onChange={onFollow} />
      <LinkButton size="sm" href={objectAddress({ kind: 'Task', namespace, name: task })}>
        Open the run
      </LinkButton>
      <IconButton size="sm" label="Stop following the run" icon={<X />} onClick={onStop} />
    </section>
  );
}
