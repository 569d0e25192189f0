// Marks of a trial: its badge in lists and heads, and its settings as one line.
import { CirclePause, FlaskConical } from 'lucide-react';
import { Fragment } from 'react';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { Badge } from '../../../ui/status/Badge.tsx';
import { isTrial, trialParts, waitsAtBreakpoint } from '../model/trial-text.ts';
import { TASK, type Run } from '../../runs/model/run.ts';

/** Renders nothing for a run that is no trial. */
export function TrialBadge({ run }: { readonly run: Run }) {
  if (!isTrial(run)) return null;
  return (
    <Badge tone="info" icon={<FlaskConical aria-hidden />} title="A run for the design of a system; statistics leave it out">
      Trial
    </Badge>
  );
}

/** Nothing for a run that waits at no breakpoint. */
export function BreakpointBadge({ run }: { readonly run: Run }) {
  if (!waitsAtBreakpoint(run)) return null;
  return (
    <Badge tone="waiting" icon={<CirclePause aria-hidden />}>
      At a breakpoint
    </Badge>
  );
}

/** Renders nothing for a run that is no trial. */
export function TrialLine({ run, scope }: { readonly run: Run; readonly scope?: string }) {
  const { trial } = run.spec;
  if (!trial) return null;
  const parts = trialParts(trial);
  return (
    <p role="note" aria-label="Trial" className="flex flex-wrap items-baseline gap-x-1.5 text-sm text-muted">
      <FlaskConical aria-hidden className="size-3.5 self-center" />
      <span className="font-medium text-text">Trial</span>
      {parts.map(({ words, task }, index) => (
        <Fragment key={index}>
          <span aria-hidden>·</span>
          <span>
            {words}
            {task !== undefined && (
              <>
                {' '}
                <PeekLink
                  className="underline underline-offset-2"
                  object={{ kind: TASK, namespace: run.metadata.namespace, name: task }}
                  {...(scope !== undefined && { scope })}
                >
                  {task}
                </PeekLink>
              </>
            )}
          </span>
        </Fragment>
      ))}
    </p>
  );
}
