// Search parameters of the inbox.
import { choiceParam, listParam, textParam, typedParam, type SearchState } from '../../../navigation/search-state.ts';
import { GROUPINGS } from './queue.ts';

export const INBOX_PARAMS = {
  view: choiceParam(['waiting', 'history']),
  /** `ToolApproval/ns/name`. */
  item: textParam,
  kind: listParam,
  risk: listParam,
  group: choiceParam(GROUPINGS),
  /** Filter of the history. */
  phase: choiceParam(['', 'Approved', 'Denied', 'ChangesRequested', 'Expired']),
  q: typedParam,
};

export type InboxState = SearchState<typeof INBOX_PARAMS>;
export type SetInbox = (change: Partial<InboxState>) => void;
