// Mine and theirs merged: each place where they differ, with a choice. Decides nothing that both sides changed.
import { Check, CircleAlert } from 'lucide-react';
import { useId, useMemo, useRef, useState } from 'react';
import { Badge } from '../ui/status/Badge.tsx';
import { Button } from '../ui/button/Button.tsx';
import { cn } from '../ui/cn.ts';
import { RadioGroup } from '../ui/input/RadioGroup.tsx';
import { SegmentedControl } from '../ui/input/SegmentedControl.tsx';
import { UntrustedText } from '../ui/text/UntrustedText.tsx';
import { DiffView } from './DiffView.tsx';
import { openConflicts, planMerge, type MergeChoice, type MergeHunk } from '../yaml/three-way-merge.ts';

export interface MergeViewProps {
  /** The common ancestor of both texts. */
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
  /** Takes the merged text. */
  readonly onMerged: (text: string) => void;
  /** Absent where the surroundings have a way out. */
  readonly onCancel?: () => void;
}

const WORDS = { mine: 'changed by you', theirs: 'changed by others', both: 'changed alike', conflict: 'changed by both' } as const;

function Version({ title, text, taken }: { readonly title: string; readonly text: string; readonly taken: boolean }) {
  return (
    <div className={cn('min-w-0 rounded-md border', taken ? 'border-accent bg-accent-soft' : 'border-border bg-surface')}>
      <p className="flex items-center gap-1 border-b border-border px-2 py-1 text-sm font-medium text-muted">
        {title}
        {taken && <Check aria-label="taken" role="img" className="size-3.5 text-accent-text" />}
      </p>
      <pre tabIndex={0} className="max-h-48 overflow-auto px-2 py-1.5 font-mono text-sm whitespace-pre-wrap">
        {text === '' ? <span className="font-sans text-faint">not there</span> : <UntrustedText text={text} />}
      </pre>
    </div>
  );
}

interface HunkProps {
  readonly hunk: MergeHunk;
  readonly choice: MergeChoice | undefined;
  readonly onChoose: (choice: MergeChoice) => void;
}

function Hunk({ hunk, choice, onChoose }: HunkProps) {
  const id = useId();
  const options = [
    { value: 'mine', label: 'Yours' },
    { value: 'theirs', label: 'Theirs' },
    ...(hunk.both === undefined ? [] : [{ value: 'both', label: 'Both' }]),
  ] as const;
  const open = choice === undefined;
  return (
    <li
      data-open={open || undefined}
      tabIndex={-1}
      aria-labelledby={id}
      className={cn(
        'rounded-lg border p-3 focus-visible:outline-2 focus-visible:outline-focus',
        open ? 'border-danger/50' : 'border-border',
      )}
    >
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <h3 id={id} className="min-w-0 font-mono text-sm font-medium text-text">
          <UntrustedText text={hunk.title} />
        </h3>
        <Badge tone={hunk.status === 'conflict' ? (open ? 'danger' : 'ok') : 'neutral'}>{WORDS[hunk.status]}</Badge>
        {hunk.status !== 'both' && (
          <RadioGroup
            label={`Version of ${hunk.title}`}
            className="ml-auto flex-row gap-4"
            value={choice ?? ''}
            options={options}
            onChange={(value) => onChoose(value as MergeChoice)}
          />
        )}
      </div>
      <div className="grid gap-2 md:grid-cols-3">
        <Version title="Before" text={hunk.base} taken={false} />
        <Version title="Yours" text={hunk.mine} taken={choice === 'mine' || choice === 'both'} />
        <Version title="Theirs" text={hunk.theirs} taken={choice === 'theirs' || choice === 'both'} />
      </div>
    </li>
  );
}

function leftText(left: number, hunks: number): string {
  if (hunks === 0) return 'Both versions are the same.';
  if (left === 0) return 'Nothing is left to decide.';
  return left === 1 ? '1 conflict to decide' : `${left} conflicts to decide`;
}

export function MergeView({ base, mine, theirs, onMerged, onCancel }: MergeViewProps) {
  const plan = useMemo(() => planMerge({ base, mine, theirs }), [base, mine, theirs]);
  const [choices, setChoices] = useState<ReadonlyMap<string, MergeChoice>>(new Map());
  const [view, setView] = useState<'changes' | 'result'>('changes');
  const list = useRef<HTMLUListElement>(null);
  const left = openConflicts(plan, choices).length;
  const result = useMemo(() => plan.result(choices), [plan, choices]);
  const toNext = () => {
    const next = list.current?.querySelector<HTMLElement>('[data-open]');
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  };
  const blocked = left > 0 ? 'Resolve each conflict first' : result === undefined ? 'These choices conflict. Choose others' : undefined;
  const shown = plan.hunks.filter(({ status }) => status !== 'both');
  return (
    <div className="flex min-h-0 flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <p role="status" className={cn('inline-flex items-center gap-1.5 text-base font-medium', left > 0 ? 'text-danger' : 'text-ok')}>
          {left > 0 ? <CircleAlert aria-hidden className="size-4" /> : <Check aria-hidden className="size-4" />}
          {leftText(left, plan.hunks.length)}
        </p>
        {plan.by === 'lines' && <span className="text-sm text-muted">Compared by lines, because one version is not valid YAML.</span>}
        <SegmentedControl
          label="What is shown"
          className="ml-auto"
          value={view}
          segments={[
            { value: 'changes', label: 'Changes' },
            { value: 'result', label: 'Result' },
          ]}
          onChange={setView}
        />
      </div>
      {view === 'changes' ? (
        <ul ref={list} className="flex min-h-0 flex-1 flex-col gap-3 overflow-auto">
          {shown.map((hunk) => (
            <Hunk
              key={hunk.id}
              hunk={hunk}
              choice={choices.get(hunk.id) ?? hunk.preset}
              onChoose={(choice) => setChoices((before) => new Map(before).set(hunk.id, choice))}
            />
          ))}
        </ul>
      ) : result === undefined ? (
        <p className="py-8 text-center text-base text-muted">The result appears when each conflict is resolved.</p>
      ) : (
        <DiffView
          label="Stored now and the merged result"
          before={theirs}
          after={result}
          beforeLabel="Stored now"
          afterLabel="Merged"
          className="h-80"
        />
      )}
      <div className="flex flex-wrap justify-end gap-2">
        {left > 0 && <Button onClick={toNext}>Next conflict</Button>}
        {onCancel && <Button onClick={onCancel}>Keep editing</Button>}
        <Button variant="primary" disabledReason={blocked} onClick={() => result !== undefined && onMerged(result)}>
          Use the merged version
        </Button>
      </div>
    </div>
  );
}
