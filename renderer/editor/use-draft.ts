// Stores the edited text as a draft, and finds earlier drafts.
import { useEffect, useRef, useState } from 'react';
import { before, dropDraft, keepDraft, readDraft, withoutNewest, type Draft, type DraftKey } from './drafts.ts';

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

const store = (key: DraftKey, draft: Draft | undefined) => void (draft ? keepDraft(key, draft) : dropDraft(key));

export function useDraft({ target, text, baseText, dirty }: DraftOptions): DraftState {
  const { kind, namespace, name } = target;
  const [offered, setOffered] = useState<Draft>();
  const [kept, setKept] = useState(false);
  const latest = useRef(text);
  useEffect(() => {
    latest.current = text;
  });
  useEffect(() => {
    let wanted = true;
    // A draft equal to the current text needs no decision.
    const waiting = (draft: Draft | undefined) => (draft?.text === latest.current ? withoutNewest(draft) : draft);
    void readDraft({ kind, namespace, name }).then((draft) => wanted && setOffered(waiting(draft)));
    return () => {
      wanted = false;
      setOffered(undefined);
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
      const draft = { text, baseText, savedAt: Date.now() };
      void keepDraft({ kind, namespace, name }, before(draft, offered)).then((done) => wanted && setKept(done));
    };
    pending.current = keep;
    const timer = setTimeout(keep, KEEP_AFTER_MS);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [kind, namespace, name, text, baseText, dirty, offered]);
  const next = offered && withoutNewest(offered);
  return {
    offered: offered !== undefined && offered.text !== text ? offered : undefined,
    kept: kept && dirty,
    restored: () => setOffered(next),
    discard: () => {
      setOffered(next);
      if (!dirty) store({ kind, namespace, name }, next);
    },
    forget: () => {
      pending.current = undefined;
      setKept(false);
      store({ kind, namespace, name }, offered);
    },
  };
}
