// Checks a text while it is edited: by the shared rules shortly after each change, and by the server once typing pauses.
import { useEffect, useRef, useState } from 'react';
import { loadDefinitions, type KindDefinitions } from '../kinds/definitions.ts';
import { checkText, type TextProblem } from '../yaml/check-text.ts';
import { checkOnServer } from './server-check.ts';

const RULES_AFTER_MS = 150;
const SERVER_AFTER_MS = 700;

export interface TextChecking {
  readonly known: KindDefinitions | undefined;
  readonly problems: readonly TextProblem[];
  /** State of the server's check, which is skipped while the local rules find errors. */
  readonly server: 'off' | 'waiting' | 'checked' | 'unable';
  /** Reason why the server returned nothing. */
  readonly reason?: string;
}

export interface TextCheckOptions {
  readonly text: string;
  readonly namespace: string;
  readonly kind: string | undefined;
  /** Whether the server checks it too. */
  readonly askServer: boolean;
}

interface Found {
  readonly rules: readonly TextProblem[];
  readonly fromServer: readonly TextProblem[];
  readonly server: TextChecking['server'];
  readonly reason?: string;
}

const NOTHING: Found = { rules: [], fromServer: [], server: 'off' };

export function useDefinitions(): KindDefinitions | undefined {
  const [known, setKnown] = useState<KindDefinitions>();
  useEffect(() => {
    let wanted = true;
    void loadDefinitions().then(
      (loaded) => wanted && setKnown(loaded),
      // Without the definitions the editor still works with less knowledge; the next one loads them again.
      () => undefined,
    );
    return () => {
      wanted = false;
    };
  }, []);
  return known;
}

export function useTextCheck({ text, namespace, kind, askServer }: TextCheckOptions): TextChecking {
  const known = useDefinitions();
  const [found, setFound] = useState(NOTHING);
  const first = useRef(true);
  useEffect(() => {
    if (!known) return;
    const stop = new AbortController();
    const options = { known, namespace, kind };
    let asking: ReturnType<typeof setTimeout> | undefined;
    const run = () => {
      const check = checkText(text, options);
      const ask = askServer && check.values !== undefined;
      setFound((before) => ({ rules: check.problems, fromServer: ask ? before.fromServer : [], server: ask ? 'waiting' : 'off' }));
      if (!ask) return;
      asking = setTimeout(() => {
        checkOnServer(check, options, stop.signal).then(
          (answer) =>
            setFound({
              rules: check.problems,
              fromServer: answer.status === 'checked' ? answer.problems : [],
              server: answer.status,
              ...(answer.status === 'unable' && { reason: answer.reason }),
            }),
          () => undefined,
        );
      }, SERVER_AFTER_MS);
    };
    const waiting = setTimeout(run, first.current ? 0 : RULES_AFTER_MS);
    first.current = false;
    return () => {
      stop.abort();
      clearTimeout(waiting);
      clearTimeout(asking);
    };
  }, [known, text, namespace, kind, askServer]);
  return {
    known,
    problems: [...found.rules, ...found.fromServer],
    server: found.server,
    ...(found.reason !== undefined && { reason: found.reason }),
  };
}
