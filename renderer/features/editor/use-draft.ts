// Keeps what is being written as a draft, and finds the one of last time.
import { useEffect, useState } from 'react';
import { dropDraft, keepDraft, readDraft, type Draft, type DraftKey } from './drafts.ts';

const KEEP_AFTER_MS = 400;

export interface DraftOptions {
  readonly target: DraftKey;
  readonly text: string;
  readonly baseText: string;
  readonly baseVersion: string | undefined;
  readonly dirty: boolean;
}

export interface DraftState {
  /** The draft of last time, while it waits to be restored or discarded. */
  readonly offered: Draft | undefined;
  /** The text is safe if the tab closes now. */
  readonly kept: boolean;
  readonly decide: () => void;
  /** Forgets what was kept. */
  readonly forget: () => void;
}

export function useDraft({ target, text, baseText, baseVersion, dirty }: DraftOptions): DraftState {
  const { kind, namespace, name } = target;
  const [offered, setOffered] = useState<Draft>();
  const [kept, setKept] = useState(false);
  useEffect(() => {
    let wanted = true;
    void readDraft({ kind, namespace, name }).then((draft) => wanted && setOffered(draft));
    return () => {
      wanted = false;
      setOffered(undefined);
    };
  }, [kind, namespace, name]);
  useEffect(() => {
    if (!dirty) return;
    let wanted = true;
    setKept(false);
    const keep = setTimeout(() => {
      const draft = { text, baseText, baseVersion, savedAt: Date.now() };
      void keepDraft({ kind, namespace, name }, draft).then((done) => wanted && setKept(done));
    }, KEEP_AFTER_MS);
    return () => {
      wanted = false;
      clearTimeout(keep);
    };
  }, [kind, namespace, name, text, baseText, baseVersion, dirty]);
  return {
    offered: offered !== undefined && offered.text !== text ? offered : undefined,
    kept: kept && dirty,
    decide: () => setOffered(undefined),
    forget: () => {
      setOffered(undefined);
      setKept(false);
      void dropDraft({ kind, namespace, name });
    },
  };
}
