// Problems of the design, below the canvas: a click leads to the place, a button applies a fix where there is one.
import { ChevronDown, ChevronUp, CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '../../../ui/button/Button.tsx';
import { cn } from '../../../ui/cn.ts';
import { fixesOfUnknown, type Fix, type SystemProblem } from '../document/problems.ts';

export interface ProblemStripProps {
  readonly problems: readonly SystemProblem[];
  /** Why the text cannot be read. */
  readonly unreadable: string | undefined;
  readonly readOnly: boolean;
  readonly onShow: (problem: SystemProblem) => void;
  readonly onFix: (fix: Fix) => void;
}

const LOOKS = {
  error: { icon: CircleAlert, ink: 'text-danger', word: 'error' },
  warning: { icon: TriangleAlert, ink: 'text-warn', word: 'warning' },
  info: { icon: Info, ink: 'text-info', word: 'note' },
} as const;

/** Text of the closed line: the message itself when there is only one. */
function line(problems: readonly SystemProblem[], closed: boolean): string {
  const [only, second] = problems;
  return closed && only && !second ? only.message : summary(problems);
}

const SHOWN_MAX = 100;

function summary(problems: readonly SystemProblem[]): string {
  const parts = (['error', 'warning', 'info'] as const).flatMap((severity) => {
    const count = problems.filter((each) => each.severity === severity).length;
    return count === 0 ? [] : [`${count} ${LOOKS[severity].word}${count === 1 ? '' : 's'}`];
  });
  return parts.length === 0 ? 'No problems' : parts.join(', ');
}

export function ProblemStrip({ problems, unreadable, readOnly, onShow, onFix }: ProblemStripProps) {
  const lineId = useId();
  const [chosen, setClosed] = useState<boolean>();
  const worst = problems[0]?.severity;
  // Notes, and drafts that are still being written, leave the room to the canvas.
  const closed = chosen ?? problems.every(({ id, severity }) => severity === 'info' || id.startsWith('draft '));
  const all = readOnly ? [] : fixesOfUnknown(problems);
  const Icon = worst === undefined ? CircleCheck : LOOKS[worst].icon;
  return (
    <section aria-label="Problems" className="shrink-0 border-t border-border bg-surface">
      <button
        type="button"
        // A live region inside gives no name.
        aria-labelledby={lineId}
        aria-expanded={!closed && problems.length > 0}
        disabled={problems.length === 0}
        onClick={() => setClosed(!closed)}
        className="flex min-h-8 w-full items-center py-1 gap-2 px-4 text-left text-sm -outline-offset-2"
      >
        <Icon aria-hidden className={cn('size-4', worst === undefined ? 'text-ok' : LOOKS[worst].ink)} />
        <span id={lineId} role="status" className="flex-1">
          {unreadable === undefined ? line(problems, closed) : `The YAML is not valid. ${unreadable}`}
        </span>
        {problems.length > 0 &&
          (closed ? <ChevronUp aria-hidden className="size-4 text-muted" /> : <ChevronDown aria-hidden className="size-4 text-muted" />)}
      </button>
      {!closed && problems.length > 0 && (
        <ul className="max-h-36 overflow-auto border-t border-border py-1">
          {all.length > 0 && (
            <li className="flex justify-end gap-2 px-4 pb-1">
              {all.map((fix) => (
                <Button key={fix.label} size="sm" onClick={() => onFix(fix)}>
                  {fix.label}
                </Button>
              ))}
            </li>
          )}
          {problems.slice(0, SHOWN_MAX).map((problem) => {
            const { icon: Each, ink, word } = LOOKS[problem.severity];
            return (
              <li key={problem.id} className="flex min-h-7 items-center gap-2 px-4 hover:bg-hover">
                <button
                  type="button"
                  onClick={() => onShow(problem)}
                  className="flex min-w-0 flex-1 items-start gap-2 py-1 text-left text-base"
                >
                  <Each aria-label={word} className={cn('mt-0.5 size-4 shrink-0', ink)} />
                  <span className="min-w-0 [overflow-wrap:anywhere]">{problem.message}</span>
                </button>
                {!readOnly &&
                  problem.fixes.map((fix) => (
                    <Button key={fix.label} size="sm" className="max-w-[40%] min-w-0" onClick={() => onFix(fix)}>
                      <span className="truncate" title={fix.label}>
                        {fix.label}
                      </span>
                    </Button>
                  ))}
              </li>
            );
          })}
          {problems.length > SHOWN_MAX && <li className="px-4 py-1 text-sm text-muted">and {problems.length - SHOWN_MAX} more</li>}
        </ul>
      )}
    </section>
  );
}
