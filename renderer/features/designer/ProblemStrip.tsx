// What is wrong with the design, below the canvas: a click leads to the place, a button mends what can be mended.
import { ChevronDown, ChevronUp, CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { cn } from '../../ui/cn.ts';
import type { Fix, SystemProblem } from './problems.ts';

export interface ProblemStripProps {
  readonly problems: readonly SystemProblem[];
  readonly readable: boolean;
  readonly readOnly: boolean;
  readonly onShow: (problem: SystemProblem) => void;
  readonly onFix: (problem: SystemProblem, fix: Fix) => void;
}

const LOOKS = {
  error: { icon: CircleAlert, ink: 'text-danger', word: 'error' },
  warning: { icon: TriangleAlert, ink: 'text-warn', word: 'warning' },
  info: { icon: Info, ink: 'text-info', word: 'note' },
} as const;

const SHOWN_MAX = 100;

function summary(problems: readonly SystemProblem[]): string {
  const parts = (['error', 'warning', 'info'] as const).flatMap((severity) => {
    const count = problems.filter((each) => each.severity === severity).length;
    return count === 0 ? [] : [`${count} ${LOOKS[severity].word}${count === 1 ? '' : 's'}`];
  });
  return parts.length === 0 ? 'No problems' : parts.join(', ');
}

export function ProblemStrip({ problems, readable, readOnly, onShow, onFix }: ProblemStripProps) {
  const [closed, setClosed] = useState(false);
  const worst = problems[0]?.severity;
  const Icon = worst === undefined ? CircleCheck : LOOKS[worst].icon;
  return (
    <section aria-label="Problems" className="shrink-0 border-t border-border bg-surface">
      <button
        type="button"
        aria-expanded={!closed && problems.length > 0}
        disabled={problems.length === 0}
        onClick={() => setClosed(!closed)}
        className="flex h-8 w-full items-center gap-2 px-4 text-left text-sm -outline-offset-2"
      >
        <Icon aria-hidden className={cn('size-4', worst === undefined ? 'text-ok' : LOOKS[worst].ink)} />
        <span role="status" className="flex-1">
          {readable ? summary(problems) : 'The YAML cannot be read; the canvas shows the last text that could'}
        </span>
        {problems.length > 0 &&
          (closed ? <ChevronUp aria-hidden className="size-4 text-muted" /> : <ChevronDown aria-hidden className="size-4 text-muted" />)}
      </button>
      {!closed && problems.length > 0 && (
        <ul className="max-h-36 overflow-auto border-t border-border py-1">
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
                    <Button key={fix.label} size="sm" onClick={() => onFix(problem, fix)}>
                      {fix.label}
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
