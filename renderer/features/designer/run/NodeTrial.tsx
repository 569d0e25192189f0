// The next trial for one agent: its breakpoints, its pinned output, and runs of a part of the system.
import { Pin, Play, SkipForward } from 'lucide-react';
import { Button } from '../../../ui/button/Button.tsx';
import { Switch } from '../../../ui/input/Switch.tsx';
import { pinOf } from '../../trials/model/trial-draft.ts';
import type { TrialDesign } from './use-trial-design.ts';

export function NodeTrial({ node, trial }: { readonly node: string; readonly trial: TrialDesign }) {
  const pin = pinOf(trial.draft, node);
  return (
    <section aria-label="Next trial" className="flex flex-col gap-3 rounded-lg border border-border p-3">
      <h3 className="text-sm font-medium">Next trial</h3>
      <div className="flex flex-wrap gap-x-6 gap-y-2">
        <Switch checked={trial.stops(node, 'before')} label="Break before" onChange={() => trial.toggle(node, 'before')} />
        <Switch checked={trial.stops(node, 'after')} label="Break after" onChange={() => trial.toggle(node, 'after')} />
      </div>
      {pin && (
        <p className="line-clamp-3 text-sm [overflow-wrap:anywhere] text-muted">
          {pin.task === undefined ? `Pinned: ${pin.output ?? ''}` : `Reused from run ${pin.task}`}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button size="sm" icon={<Pin />} onClick={() => trial.pin(node)}>
          {pin ? 'Change the pinned output…' : 'Pin output…'}
        </Button>
        <Button size="sm" icon={<Play />} onClick={() => trial.run('only', node)}>
          Run only this agent
        </Button>
        <Button size="sm" icon={<SkipForward />} onClick={() => trial.run('from', node)}>
          Run from here
        </Button>
      </div>
    </section>
  );
}
