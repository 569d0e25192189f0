// The selected runs as they are now, also those that a filter hides.
import { useQueries } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { parseRef } from '@svc/shared/resource';
import { api } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';
import { asRun, runKey, TASK, type Run } from '../model/run.ts';

/** Hidden runs that are read again. More are as they were last seen: the server decides about each. */
const READ_MAX = 50;

/** In the order of their selection. `reads` is false while an action makes runs leave the list. A deleted run is left out; one that cannot be read now is as it was last seen. */
export function useSelectedRuns(rows: readonly Run[], selected: ReadonlySet<string>, reads = true): readonly Run[] {
  const seen = useRef(new Map<string, Run>());
  const listed = useMemo(() => new Map(rows.filter((run) => selected.has(runKey(run))).map((run) => [runKey(run), run])), [rows, selected]);
  const hidden = useMemo(() => [...selected].filter((key) => !listed.has(key)), [listed, selected]);
  const read = useQueries({
    queries: hidden
      .slice(0, reads ? READ_MAX : 0)
      .map((key) => api.resources.get.queryOptions({ kind: TASK, ...parseRef(key, ''), brief: true }, { retry: false })),
    combine: (results) =>
      new Map(
        results.map(({ data, error }, index) => {
          const gone = error !== null && problemOf(error).code === 'not_found';
          return [hidden[index] ?? '', gone ? 'gone' : data && asRun(data)] as const;
        }),
      ),
  });
  return useMemo(() => {
    for (const [key, run] of listed) seen.current.set(key, run);
    return [...selected].flatMap((key) => {
      const now = listed.get(key) ?? read.get(key) ?? seen.current.get(key);
      return now === undefined || now === 'gone' ? [] : [now];
    });
  }, [listed, read, selected]);
}
