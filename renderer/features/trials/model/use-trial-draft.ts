// The next trial of a system, kept in this browser apart from the system.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { dropDrafts, keepDraft, readDrafts, type DraftKey } from '../../../editor/drafts.ts';
import { isEmpty, NO_TRIAL, readTrialDraft, withRenamedNode, type TrialDraft } from './trial-draft.ts';

function keyOf(namespace: string, system: string): DraftKey {
  return { kind: 'Trial of a system', namespace, name: system };
}

/** All tabs share one draft: it belongs to no visit. */
const VISIT = '';

/** Stores it for the next visit. An empty system has no place to keep it. */
export function keepTrialDraft(namespace: string, system: string, draft: TrialDraft): void {
  if (system === '') return;
  if (isEmpty(draft)) void dropDrafts(keyOf(namespace, system), [VISIT]);
  else void keepDraft(keyOf(namespace, system), { text: JSON.stringify(draft), baseText: '', savedAt: Date.now(), visit: VISIT });
}

/** An agent of a stored system has another name: its breakpoints and pins follow. */
export async function renameInKeptTrial(namespace: string, system: string, names: ReadonlyMap<string, string>): Promise<void> {
  const [kept] = await readDrafts(keyOf(namespace, system));
  const draft = kept && readTrialDraft(kept.text);
  if (!draft) return;
  keepTrialDraft(
    namespace,
    system,
    [...names].reduce((made, [name, to]) => withRenamedNode(made, name, to), draft),
  );
}

/** `system` is empty while it has no name: then the draft lives as long as the page. */
export function useTrialDraft(namespace: string, system: string): readonly [TrialDraft, (draft: TrialDraft) => void] {
  const [draft, setDraft] = useState(NO_TRIAL);
  const touched = useRef(false);
  useEffect(() => {
    if (system === '') return undefined;
    let wanted = true;
    void readDrafts(keyOf(namespace, system)).then(([kept]) => {
      const read = kept && readTrialDraft(kept.text);
      if (wanted && read && !touched.current) setDraft(read);
    });
    return () => {
      wanted = false;
    };
  }, [namespace, system]);
  const change = useCallback(
    (next: TrialDraft) => {
      touched.current = true;
      setDraft(next);
      keepTrialDraft(namespace, system, next);
    },
    [namespace, system],
  );
  return useMemo(() => [draft, change], [draft, change]);
}
