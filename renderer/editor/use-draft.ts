// Stores the edited text as a draft, and finds earlier drafts.
import { useEffect, useRef, useState } from 'react';
import { newRequestKey } from '../live/request-keys.ts';
import { dropDrafts, keepDraft, readDrafts, type Draft, type DraftKey } from './drafts.ts';

const KEEP_AFTER_MS = 400;

export interface DraftOptions {
  readonly target: DraftKey;
  readonly text: string;
  readonly baseText: string;
  readonly dirty: boolean;
}

export interface DraftState {
  /** The draft of an earlier visit, while it waits to be restored or discarded. */
  readonly offered: Draft | undefined;
  /** The text is safe if the tab closes now. */
  readonly kept: boolean;
  /** The offered one was restored. */
  readonly restored: () => void;
  /** Discards the offered draft. The edited text stays stored. */
  readonly discard: () => void;
  /** Deletes the draft of the current text. */
  readonly forget: () => void;
}

export function useDraft({ target, text, baseText, dirty }: DraftOptions): DraftState {
  const { kind, namespace, name } = target;
  const [waiting, setWaiting] = useState<readonly Draft[]>([]);
  const [kept, setKept] = useState(false);
  const latest = useRef(text);
  useEffect(() => {
    latest.current = text;
  });
  const visit = useRef('');
  /** Visits whose drafts became the current text, which is not stored yet. */
  const taken = useRef<readonly string[]>([]);
  useEffect(() => {
    let wanted = true;
    visit.current = newRequestKey();
    taken.current = [];
    void readDrafts({ kind, namespace, name }).then((drafts) => {
      if (!wanted) return;
      // A draft equal to the current text needs no decision, and ends with it.
      const isEqual = ({ text: kept }: Draft) => kept === latest.current;
      taken.current = [...taken.current, ...drafts.filter(isEqual).map((draft) => draft.visit)];
      setWaiting(drafts.filter((draft) => !isEqual(draft) && draft.visit !== visit.current));
    });
    return () => {
      wanted = false;
      setWaiting([]);
    };
  }, [kind, namespace, name]);
  const pending = useRef<() => void>(undefined);
  // A change made a moment before the page is left is kept too.
  useEffect(() => () => pending.current?.(), [kind, namespace, name]);
  useEffect(() => {
    // A change that is undone before it was stored needs no draft.
    pending.current = undefined;
    if (!dirty) return;
    let wanted = true;
    setKept(false);
    const keep = () => {
      pending.current = undefined;
      const draft = { text, baseText, savedAt: Date.now(), visit: visit.current };
      void keepDraft({ kind, namespace, name }, draft, taken.current).then((done) => wanted && setKept(done));
      taken.current = [];
    };
    pending.current = keep;
    const timer = setTimeout(keep, KEEP_AFTER_MS);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [kind, namespace, name, text, baseText, dirty]);
  const [offered] = waiting;
  return {
    offered: offered !== undefined && offered.text !== text ? offered : undefined,
    kept: kept && dirty,
    restored: () => {
      if (offered) taken.current = [...taken.current, offered.visit];
      setWaiting(waiting.slice(1));
    },
    discard: () => {
      if (offered) void dropDrafts({ kind, namespace, name }, [offered.visit]);
      setWaiting(waiting.slice(1));
    },
    forget: () => {
      pending.current = undefined;
      setKept(false);
      void dropDrafts({ kind, namespace, name }, [visit.current, ...taken.current]);
      taken.current = [];
    },
  };
}
