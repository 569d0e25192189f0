// Search parameters of the waterfall: the open span, filters, grouping, detail.
import { choiceParam, flagParam, panelParam, textParam, type SearchState } from '../../../navigation/search-state.ts';

export const TRACE_SEARCH = {
  /** Id of the span whose details are open. */
  span: panelParam(textParam),
  failed: flagParam,
  agent: textParam,
  tool: textParam,
  branch: textParam,
  find: textParam,
  group: choiceParam(['nested', 'agent', 'branch']),
  detail: choiceParam(['calls', 'less', 'more']),
  /** Idle stretches are folded by default. */
  idle: choiceParam(['folded', 'shown']),
  critical: flagParam,
};

export type TraceSearch = SearchState<typeof TRACE_SEARCH>;
export type SetTraceSearch = (change: Partial<TraceSearch>, options?: { readonly push?: boolean }) => void;
