// The next trial of a system, kept in this browser apart from the system.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { dropDraft, keepDraft, readDraft, type DraftKey } from '../../../editor/drafts.ts';
import { isEmpty, NO_TRIAL, readTrialDraft, type TrialDraft } from './trial-draft.ts';

const KEEP_AFTER_MS = 300;

function keyOf(namespace: string, system: string): DraftKey {
  return { kind: 'Trial of a system', namespace, name: system };
}

/** Stores it for the next visit. An empty system has no place to keep it. */
export function keepTrialDraft(namespace: string, system: string, draft: TrialDraft): void {
  if (system === '') return;
  if (isEmpty(draft)) void dropDraft(keyOf(namespace, system));
  else void keepDraft(keyOf(namespace, system), { text: JSON.stringify(draft), baseText: '', savedAt: Date.now() });
}

/** `system` is empty while it has no name: then the draft lives as long as the page. */
export function useTrialDraft(namespace: string, system: string): readonly [TrialDraft, (draft: TrialDraft) => void] {
  const [draft, setDraft] = useState(NO_TRIAL);
  const touched = useRef(false);
  useEffect(() => {
    if (system === '') return undefined;
    let wanted = true;
    void readDraft(keyOf(namespace, system)).then((kept) => {
      const read = kept && readTrialDraft(kept.text);
      if (wanted && read && !touched.current) setDraft(read);
    });
    return () => {
      wanted = false;
    };
  }, [namespace, system]);
  const pending = useRef<() => void>(undefined);
  useEffect(() => () => pending.current?.(), [namespace, system]);
  useEffect(() => {
    if (!touched.current) return undefined;
    const keep = () => {
      pending.current = undefined;
      keepTrialDraft(namespace, system, draft);
    };
    pending.current = keep;
    const timer = setTimeout(keep, KEEP_AFTER_MS);
    return () => clearTimeout(timer);
  }, [namespace, system, draft]);
  const change = useCallback((next: TrialDraft) => {
    touched.current = true;
    setDraft(next);
  }, []);
  return useMemo(() => [draft, change], [draft, change]);
}
