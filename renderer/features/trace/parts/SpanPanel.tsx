// Details of the span that the address names, for the right side of a page. Nothing while no span is open.
import { useCallback, type ReactNode } from 'react';
import { objectAddress } from '../../../navigation/addresses.ts';
import { useSearchState } from '../../../navigation/search-state.ts';
import { SpanInspector } from '../inspector/SpanInspector.tsx';
import { TRACE_SEARCH } from '../model/trace-search.ts';
import type { RunTrace } from '../model/use-run-trace.ts';
import { useTraceNow } from '../waterfall/use-waterfall.ts';

export interface SpanPanelProps {
  readonly trace: RunTrace;
  /** Namespace of the run, for links. */
  readonly namespace: string;
  /** Name of the run; absent for a trace from a file. */
  readonly run?: string;
  /** Actions of an agent's turn, below its metrics. */
  readonly turnActions?: ((agent: string) => ReactNode) | undefined;
}

export function SpanPanel({ trace, namespace, run, turnActions }: SpanPanelProps) {
  const [{ span: id }, setSearch] = useSearchState(TRACE_SEARCH);
  const { store, version } = trace;
  const now = useTraceNow(trace);
  const close = useCallback(() => setSearch({ span: '' }), [setSearch]);
  const span = id === '' || version < 0 ? undefined : store.fold.spans.find((each) => each.id === id);
  const href = run === undefined ? undefined : objectAddress({ kind: 'Task', namespace, name: run }, undefined, { span: id });
  return (
    span && (
      <SpanInspector span={span} trace={trace} namespace={namespace} now={now} href={href} turnActions={turnActions} onClose={close} />
    )
  );
}
