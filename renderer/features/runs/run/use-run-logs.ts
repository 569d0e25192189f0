// The log of a run: all pages one after the other, then its last page again whenever the run's journal grows.
import type { LogPage } from '@svc/shared/api/runs';
import { useEffect, useMemo, useRef, useState } from 'react';
import { client } from '../../../live/api.ts';
import { readLine, type LogLine } from './log-lines.ts';
import { hasEnded, type Run } from '../model/run.ts';

/** Maximum number of lines in memory: longer logs are better read with svcctl. */
const LINES_MAX = 200_000;

interface Page {
  readonly after: string | undefined;
  readonly lines: readonly LogLine[];
  readonly next: string | undefined;
}

interface Read {
  readonly pages: readonly Page[];
  readonly error: unknown;
  readonly complete: boolean;
}

const EMPTY: Read = { pages: [], error: null, complete: false };

export interface RunLogs {
  readonly lines: readonly LogLine[];
  readonly loading: boolean;
  readonly full: boolean;
  readonly error: unknown;
  readonly retry: () => void;
}

function toPage(after: string | undefined, page: LogPage): Page {
  return { after, lines: page.logs.map(readLine), next: page.continue };
}

/** Pages with the last one read again, or one more. */
function withPage(pages: readonly Page[], page: Page): readonly Page[] {
  const last = pages.at(-1);
  if (last === undefined || last.after !== page.after) return [...pages, page];
  return last.lines.length === page.lines.length && last.next === page.next ? pages : [...pages.slice(0, -1), page];
}

export function useRunLogs(run: Run): RunLogs {
  const { namespace, name, uid } = run.metadata;
  const ended = hasEnded(run);
  const [read, setRead] = useState(EMPTY);
  const [round, setRound] = useState(0);
  /** Stays when the run ends, so that the lines are not read again from the first one. */
  const pages = useRef(EMPTY.pages);
  useEffect(() => {
    pages.current = EMPTY.pages;
    setRead(EMPTY);
  }, [uid, round]);
  useEffect(() => {
    const abort = new AbortController();
    const count = () => pages.current.reduce((sum, { lines }) => sum + lines.length, 0);
    let reading = false;
    const step = async (): Promise<void> => {
      const last = pages.current.at(-1);
      const after = last === undefined ? undefined : (last.next ?? last.after);
      const answer = await client.runs.logs.query({ namespace, name, ...(after !== undefined && { after }) }, { signal: abort.signal });
      if (abort.signal.aborted) return;
      pages.current = withPage(pages.current, toPage(after, answer));
      const more = answer.continue !== undefined && count() < LINES_MAX;
      setRead({ pages: pages.current, error: null, complete: !more });
      if (more) return step();
    };
    const readOn = async (): Promise<void> => {
      // The next tick reads lines written meanwhile: ticks arrive until the run ends.
      if (reading || count() >= LINES_MAX) return;
      reading = true;
      await step().catch((error: unknown) => {
        if (!abort.signal.aborted) setRead({ pages: pages.current, error, complete: true });
      });
      reading = false;
    };
    void readOn();
    const growth = ended ? undefined : client.runs.growth.subscribe({ namespace, name }, { onData: () => void readOn() });
    return () => {
      abort.abort();
      growth?.unsubscribe();
    };
  }, [namespace, name, uid, ended, round]);
  const lines = useMemo(() => read.pages.flatMap((page) => page.lines), [read.pages]);
  return {
    lines,
    loading: !read.complete,
    full: lines.length >= LINES_MAX,
    error: read.error,
    retry: () => setRound((before) => before + 1),
  };
}
