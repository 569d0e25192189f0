// Problems of a text, listed below it: one line each, with a link to its place.
import { CircleAlert, Info, TriangleAlert, Wand2 } from 'lucide-react';
import { useRef, type KeyboardEvent } from 'react';
import { Button } from '../ui/button/Button.tsx';
import { cn } from '../ui/cn.ts';
import { UntrustedText } from '../ui/text/UntrustedText.tsx';
import type { TextProblem } from '../yaml/check-text.ts';

export interface ProblemListProps {
  readonly problems: readonly TextProblem[];
  /** The line of a problem, from 1. */
  readonly lineOf: (problem: TextProblem) => number;
  readonly onJump: (problem: TextProblem) => void;
  readonly onFix: (problem: TextProblem) => void;
}

const SHOWN_MAX = 200;
const LOOKS = {
  error: { Icon: CircleAlert, ink: 'text-danger', name: 'Error' },
  warning: { Icon: TriangleAlert, ink: 'text-warn', name: 'Warning' },
  info: { Icon: Info, ink: 'text-info', name: 'Note' },
} as const;

function moveFocus(list: HTMLElement | null, event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || !list) return;
  const lines = [...list.querySelectorAll<HTMLElement>('[data-problem]')];
  const next = lines[lines.indexOf(document.activeElement as HTMLElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

export function ProblemList({ problems, lineOf, onJump, onFix }: ProblemListProps) {
  const list = useRef<HTMLUListElement>(null);
  if (problems.length === 0) return null;
  return (
    <ul
      ref={list}
      aria-label="Problems"
      onKeyDown={(event) => moveFocus(list.current, event)}
      className="max-h-40 shrink-0 overflow-auto border-t border-border bg-sunken py-1"
    >
      {problems.slice(0, SHOWN_MAX).map((problem, index) => {
        const { Icon, ink, name } = LOOKS[problem.severity];
        return (
          <li key={index} className="flex items-start gap-1 px-2">
            <button
              type="button"
              data-problem
              onClick={() => onJump(problem)}
              className="flex min-w-0 flex-1 items-start gap-2 rounded-sm px-1 py-0.5 text-left text-sm hover:bg-hover focus-visible:-outline-offset-2"
            >
              <Icon aria-label={name} role="img" className={cn('mt-0.5 size-3.5 shrink-0', ink)} />
              <span className="min-w-0 flex-1 text-text">
                <UntrustedText text={problem.message} />
              </span>
              <span className="shrink-0 text-muted tabular-nums">
                {problem.source === 'server' ? 'server, ' : ''}line {lineOf(problem)}
              </span>
            </button>
            {problem.fix && (
              <Button size="sm" variant="ghost" icon={<Wand2 />} onClick={() => onFix(problem)}>
                {problem.fix.label}
              </Button>
            )}
          </li>
        );
      })}
      {problems.length > SHOWN_MAX && <li className="px-3 py-0.5 text-sm text-muted">and {problems.length - SHOWN_MAX} more</li>}
    </ul>
  );
}
