// Legend of the lines and signs of the canvas.
import { CircleSlash2, Flag, Lock, LogIn, Merge, SkipForward, Skull } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from '../ui/cn.ts';

const LINES: readonly { readonly look: string; readonly dashed?: boolean; readonly words: string }[] = [
  { look: 'next', words: 'Continues to the next agent' },
  { look: 'fan-out', words: 'Parallel branch' },
  { look: 'conditional', words: 'Conditional' },
  { look: 'loop-back', words: 'Loop' },
  { look: 'next', dashed: true, words: 'Field “next”, or list order' },
];

const SIGNS: readonly { readonly icon: ReactNode; readonly words: string }[] = [
  { icon: <LogIn />, words: 'A run starts here' },
  { icon: <Flag />, words: 'A run ends here' },
  { icon: <Lock />, words: 'Output requires review' },
  { icon: <Merge />, words: 'Waits for several sources' },
  { icon: <Skull />, words: 'A failed source ends the run' },
  { icon: <SkipForward />, words: 'A failed source is left out' },
  { icon: <CircleSlash2 />, words: 'Continues with the results so far' },
];

export function GraphLegend() {
  return (
    <div
      role="group"
      aria-label="Legend"
      className="flex w-60 flex-col gap-2 rounded-lg border border-border bg-surface p-3 text-sm text-muted shadow-raised"
    >
      <ul className="flex flex-col gap-1">
        {LINES.map(({ look, dashed, words }) => (
          <li key={words} className="flex items-center gap-2">
            <svg aria-hidden width="32" height="10" className="shrink-0">
              <line
                x1="1"
                y1="5"
                x2="24"
                y2="5"
                className={cn('system-line', `system-line-${look}`, dashed && 'system-line-dashed')}
                markerEnd={`url(#system-arrow-${look})`}
              />
            </svg>
            {words}
          </li>
        ))}
      </ul>
      <ul className="flex flex-col gap-1 border-t border-border pt-2 [&_svg]:size-3.5 [&_svg]:shrink-0">
        {SIGNS.map(({ icon, words }) => (
          <li key={words} className="flex items-center gap-2">
            {icon}
            {words}
          </li>
        ))}
      </ul>
    </div>
  );
}
