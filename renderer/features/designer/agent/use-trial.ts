// One question to a model, outside of any run: the test of a connection, and the trial of a prompt.
import type { ModelTrialAnswer } from '@svc/shared/api/model-trials';
import { useCallback, useEffect, useRef, useState } from 'react';
import { client } from '../../../live/api.ts';

export interface TrialQuestion {
  readonly namespace: string;
  readonly name: string;
  /** For a model that is not stored. */
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly apiKey?: string;
  readonly prompt?: string;
  readonly message: string;
  readonly agent?: string;
}

export interface Trial {
  readonly busy: boolean;
  readonly answer: ModelTrialAnswer | undefined;
  /** The server did not try at all. */
  readonly error: unknown;
  readonly ask: (question: TrialQuestion) => void;
  readonly stop: () => void;
}

export function useTrial(): Trial {
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<ModelTrialAnswer>();
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const stop = useCallback(() => {
    running.current?.abort();
    running.current = undefined;
    setBusy(false);
  }, []);
  const ask = useCallback((question: TrialQuestion) => {
    running.current?.abort();
    const mine = new AbortController();
    running.current = mine;
    setBusy(true);
    setError(undefined);
    setAnswer(undefined);
    client.models.ask.mutate(question, { signal: mine.signal }).then(
      (given) => {
        if (mine.signal.aborted) return;
        setAnswer(given);
        setBusy(false);
      },
      (failure: unknown) => {
        if (mine.signal.aborted) return;
        setError(failure);
        setBusy(false);
      },
    );
  }, []);
  return { busy, answer, error, ask, stop };
}
