// Differences between two versions of an output: word by word in text, place by place in JSON. A chunk of its own because of the diff
// library.
import { diffLines, diffWordsWithSpace, type Change } from 'diff';
import { useMemo } from 'react';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { outputText, type TaskApproval } from '../model/approval.ts';
import { editsBetween } from './edits.ts';
import { EditsList } from './EditsList.tsx';

/** Comparing texts that have little in common takes long and says little. */
const COMPARE_MS = 400;

export interface VersionDiffProps {
  readonly before: TaskApproval;
  readonly after: TaskApproval;
}

export function VersionDiff({ before, after }: VersionDiffProps) {
  const asJson = typeof before.output === 'object' && typeof after.output === 'object';
  return asJson ? (
    <JsonChanges before={before.output} after={after.output} />
  ) : (
    <TextChanges before={outputText(before)} after={outputText(after)} />
  );
}

function JsonChanges({ before, after }: { readonly before: unknown; readonly after: unknown }) {
  const edits = useMemo(() => editsBetween(before, after), [before, after]);
  return edits.length === 0 ? <p className="text-muted">Nothing changed.</p> : <EditsList edits={edits} />;
}

function compare(before: string, after: string): Change[] | undefined {
  return diffWordsWithSpace(before, after, { timeout: COMPARE_MS }) ?? diffLines(before, after, { timeout: COMPARE_MS });
}

function TextChanges({ before, after }: { readonly before: string; readonly after: string }) {
  const changes = useMemo(() => compare(before, after), [before, after]);
  if (changes === undefined)
    return <p className="text-muted">The two versions are too large and too different to be compared here. Read the new one as a whole.</p>;
  if (changes.every(({ added, removed }) => !added && !removed)) return <p className="text-muted">Nothing changed.</p>;
  return (
    <div
      tabIndex={0}
      role="region"
      aria-label="What changed"
      className="max-h-[36rem] overflow-auto rounded-md border border-border bg-sunken p-3 whitespace-pre-wrap"
    >
      {changes.map(({ value, added, removed }, index) =>
        added ? (
          <ins key={index} className="rounded-xs bg-ok-soft text-ok no-underline">
            <span className="sr-only">added: </span>
            <UntrustedText text={value} />
          </ins>
        ) : removed ? (
          <del key={index} className="rounded-xs bg-danger-soft text-danger">
            <span className="sr-only">removed: </span>
            <UntrustedText text={value} />
          </del>
        ) : (
          <UntrustedText key={index} text={value} />
        ),
      )}
    </div>
  );
}
