// Parts of the designer for the next trial: the menu of an agent, the window that pins an output, and what the trial does in one line.
import { FlaskConical, X } from 'lucide-react';
import type { GraphHandle } from '../../../graph/GraphCanvas.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { PointMenu } from '../../../ui/overlay/PointMenu.tsx';
import { useRunTrace } from '../../trace/model/use-run-trace.ts';
import { trialSpecOf } from '../../trials/model/trial-draft.ts';
import { trialText } from '../../trials/model/trial-text.ts';
import { useEarlierRuns } from '../../trials/model/use-earlier-runs.ts';
import { PinDialog, type PinDialogProps } from '../../trials/parts/PinDialog.tsx';
import { nodeResult } from './node-result.ts';
import { trialItems } from './trial-menu.tsx';
import type { TrialDesign } from './use-trial-design.ts';

export interface TrialAidsProps {
  readonly trial: TrialDesign;
  readonly namespace: string;
  readonly system: string;
  /** The followed run; empty for none. */
  readonly task: string;
  readonly canvas: () => GraphHandle | undefined;
}

export function TrialAids({ trial, namespace, system, task, canvas }: TrialAidsProps) {
  const { menu, pinning, draft } = trial;
  const closed = () => {
    if (menu) canvas()?.focusNode(menu.node);
    trial.closeMenu();
  };
  return (
    <>
      {menu && <PointMenu label={`Actions on ${menu.node}`} at={menu.at} items={trialItems(trial, menu.node)} onClosed={closed} />}
      {pinning !== undefined && (
        <PinWindow
          key={pinning}
          task={task}
          namespace={namespace}
          system={system}
          node={pinning}
          draft={draft}
          onDraft={trial.setDraft}
          onClose={() => trial.pin(undefined)}
        />
      )}
    </>
  );
}

/** Covers no agent: it is among the tools above the canvas. */
export function TrialNote({ trial }: Pick<TrialAidsProps, 'trial'>) {
  const spec = trialSpecOf(trial.draft);
  if (!spec) return null;
  return (
    <div role="note" aria-label="Next trial" className="flex min-w-0 items-center gap-1.5 rounded-md bg-info-soft pl-2 text-sm text-info">
      <FlaskConical aria-hidden className="size-3.5 shrink-0" />
      <span className="min-w-0 truncate" title={trialText(spec)}>
        Next run is a trial: {trialText(spec)}
      </span>
      <IconButton size="sm" label="Clear breakpoints and pins" icon={<X />} onClick={trial.clear} />
    </div>
  );
}

type PinWindowProps = Omit<PinDialogProps, 'runs' | 'recorded'> & Pick<TrialAidsProps, 'namespace' | 'system' | 'task'>;

function PinWindow(props: PinWindowProps) {
  const runs = useEarlierRuns(props.namespace, props.system);
  return props.task === '' ? <PinDialog {...props} runs={runs} /> : <PinOfRun {...props} runs={runs} />;
}

/** A text begins with the output that the followed run recorded. */
function PinOfRun({ namespace, task, ...props }: PinWindowProps & Pick<PinDialogProps, 'runs'>) {
  const trace = useRunTrace({ namespace, name: task });
  if (trace.state.phase === 'loading') return null;
  const { output, truncated = false } = nodeResult(trace.store, props.node) ?? {};
  return <PinDialog {...props} recorded={typeof output === 'string' && !truncated ? output : undefined} />;
}
