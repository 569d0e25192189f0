// Results of a search, best first: key, score and the beginning of the value.
import { Badge } from '../../../ui/status/Badge.tsx';
import { cn } from '../../../ui/cn.ts';
import { excerptOf } from '../../../ui/text/large-text.ts';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { scoreText } from '../model/entry-text.ts';
import type { Entry } from '../model/use-entries.ts';

export interface ResultListProps {
  readonly entries: readonly Entry[];
  readonly selected: string;
  readonly onSelect: (key: string) => void;
}

const BEGINNING_CHARS = 240;

export function ResultList({ entries, selected, onSelect }: ResultListProps) {
  return (
    <ul aria-label="Results" className="min-h-0 flex-1 overflow-auto">
      {entries.map(({ key, value, score }) => (
        <li key={key} className="border-b border-border/60 last:border-b-0">
          <button
            type="button"
            aria-current={key === selected}
            onClick={() => onSelect(key)}
            className={cn(
              'flex w-full flex-col gap-0.5 px-4 py-2 text-left -outline-offset-2 hover:bg-hover',
              key === selected && 'bg-selected',
            )}
          >
            <span className="flex w-full items-center gap-2">
              <UntrustedText text={key} mono className="min-w-0 flex-1 truncate" />
              {score !== undefined && (
                <Badge tone="accent" title="Score: higher is better">
                  {scoreText(score)}
                </Badge>
              )}
            </span>
            <UntrustedText text={excerptOf(value, BEGINNING_CHARS).text} className="line-clamp-2 text-sm text-muted" />
          </button>
        </li>
      ))}
    </ul>
  );
}
