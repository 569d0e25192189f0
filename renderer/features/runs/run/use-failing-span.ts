// Opens the span that ended a failed run, once, when its page is reached without another choice.
import { useEffect, useRef } from 'react';
import { useInspected } from '../../../inspector/inspector-context.ts';
import { useSearchState } from '../../../navigation/search-state.ts';
import { useMedia } from '../../../ui/layout/use-media.ts';
import { TRACE_SEARCH } from '../../trace/model/trace-search.ts';
import type { RunTrace } from '../../trace/model/use-run-trace.ts';
import { hasFailed, wasStopped, type Run } from '../model/run.ts';
import { causeChain } from './cause-chain.ts';

/** On narrower screens the details would take the room of the failure's own card. */
const ROOMY = '(min-width: 64rem)';

export function useFailingSpan(run: Run, trace: RunTrace): void {
  const [search, setSearch] = useSearchState(TRACE_SEARCH);
  const roomy = useMedia(ROOMY);
  const { peek } = useInspected();
  const arrived = useRef(false);
  const { store, state } = trace;
  useEffect(() => {
    if (arrived.current || state.phase === 'loading') return;
    arrived.current = true;
    const chosen = search.span !== '' || search.agent !== '' || search.find !== '' || search.failed || peek !== undefined;
    if (!roomy || chosen || !hasFailed(run) || wasStopped(run)) return;
    const cause = causeChain(store.entries)[0];
    const span = cause && spanAt(trace, cause.id);
    if (span !== undefined) setSearch({ span });
  });
}

/** The innermost span of the entry at this place. */
export function spanAt({ store }: RunTrace, place: number): string | undefined {
  return store.fold.spans.findLast(({ entries }) => entries.includes(place))?.id;
}
