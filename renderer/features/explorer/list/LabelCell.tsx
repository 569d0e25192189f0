// Labels of a row; each narrows the list to the objects that share it, where a selector can express it.
import { labelProblem } from '../label-change.ts';

export interface LabelCellProps {
  readonly labels: Readonly<Record<string, string>>;
  readonly onLabel: (key: string, value: string) => void;
}

const SHOWN_MAX = 3;
const LOOK = 'max-w-40 truncate rounded-sm border border-border bg-surface px-1.5 font-mono text-xs leading-5 text-muted';

export function LabelCell({ labels, onLabel }: LabelCellProps) {
  const entries = Object.entries(labels);
  if (entries.length === 0) return <span className="text-faint">–</span>;
  return (
    <span className="flex min-w-0 gap-1">
      {entries.slice(0, SHOWN_MAX).map(([key, value]) =>
        labelProblem(`${key}=${value}`) === undefined ? (
          <button
            key={key}
            type="button"
            tabIndex={-1}
            title={`Only objects with ${key}=${value}`}
            onClick={() => onLabel(key, value)}
            className={`${LOOK} hover:border-border-strong hover:text-text`}
          >
            {key}={value}
          </button>
        ) : (
          <span key={key} title={`${key}=${value}\nNot valid in a selector`} className={LOOK}>
            {key}={value}
          </span>
        ),
      )}
      {entries.length > SHOWN_MAX && <span className="text-sm text-muted">+{entries.length - SHOWN_MAX}</span>}
    </span>
  );
}
