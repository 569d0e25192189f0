// Trials from one agent of an ended run: from there on, of it alone, or with its output.
import { Pin, Play, SkipForward } from 'lucide-react';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { hasEnded, type Run } from '../../runs/model/run.ts';
import { NO_TRIAL, WHOLE, withPin } from '../model/trial-draft.ts';
import type { TrialStart } from './TrialDialog.tsx';

const TrialDialog = lazyPart(async () => (await import('./TrialDialog.tsx')).TrialDialog);

export interface NodeTrialButtonsProps {
  readonly agent: string;
  /** Reason why no trial can be made of it now. */
  readonly blocked?: string | undefined;
  readonly onFrom: () => void;
  readonly onOnly: () => void;
  readonly onPin: () => void;
}

export function NodeTrialButtons({ agent, blocked, onFrom, onOnly, onPin }: NodeTrialButtonsProps) {
  return (
    <div role="group" aria-label={`Trials of ${agent}`} className="flex flex-wrap gap-2">
      <Button size="sm" icon={<SkipForward />} disabledReason={blocked} onClick={onFrom}>
        Run from here
      </Button>
      <Button size="sm" icon={<Play />} disabledReason={blocked} onClick={onOnly}>
        Run only this agent
      </Button>
      <Button size="sm" icon={<Pin />} disabledReason={blocked} onClick={onPin}>
        Pin this output
      </Button>
    </div>
  );
}

/** Each opens the form of a trial that reuses this run. */
export function RunNodeTrials({ run, scope, agent }: { readonly run: Run; readonly scope: string; readonly agent: string }) {
  const [start, setStart] = useState<TrialStart>();
  const task = run.metadata.name;
  return (
    <>
      <NodeTrialButtons
        agent={agent}
        blocked={hasEnded(run) ? undefined : 'The run has not ended'}
        onFrom={() => setStart({ draft: NO_TRIAL, scope: { part: 'from', node: agent, task } })}
        onOnly={() => setStart({ draft: NO_TRIAL, scope: { part: 'only', node: agent, task } })}
        onPin={() => setStart({ draft: withPin(NO_TRIAL, { node: agent, task }), scope: WHOLE })}
      />
      {start && (
        <Suspense>
          <TrialDialog run={run} scope={scope} start={start} onClose={() => setStart(undefined)} />
        </Suspense>
      )}
    </>
  );
}
