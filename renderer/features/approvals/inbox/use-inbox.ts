// The inbox as a whole: address, queue, open item, next item, and focus.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useCovered } from '../../../inspector/covered.ts';
import { useScope } from '../../../navigation/scope.ts';
import { useFilterState } from '../../../navigation/search-state.ts';
import { parseKey, type Approval } from '../model/approval.ts';
import { INBOX_PARAMS } from './inbox-params.ts';
import { nextAfter } from './queue.ts';
import { useApproval } from '../model/use-approvals.ts';
import { useHistory } from './use-history.ts';
import { useInboxFocus } from './use-inbox-focus.ts';
import { useQueue } from './use-queue.ts';
import { useSelection } from './use-selection.ts';
import { useMedia } from '../../../ui/layout/use-media.ts';

const JUST_DECIDED_MAX = 3;

export function useInbox() {
  const { scope, namespace } = useScope();
  const [state, setFilters, setState] = useFilterState(INBOX_PARAMS);
  const wide = useWide();
  const queue = useQueue(namespace, state);
  const inHistory = state.view === 'history';
  const history = useHistory({ namespace, kinds: state.kind, phase: state.phase, text: state.q }, inHistory);
  const selection = useSelection(queue.items);
  const place = useMemo(() => parseKey(state.item), [state.item]);
  const opened = useApproval(place);
  const keys = useMemo(() => (inHistory ? history.items.map(({ key }) => key) : queue.keys), [inHistory, history.items, queue.keys]);
  const current = place ? `${place.kind}/${place.namespace}/${place.name}` : '';
  const lastIndex = useRef(0);
  const at = keys.indexOf(current);
  useEffect(() => {
    if (at >= 0) lastIndex.current = at;
  }, [at]);

  // An approval is always open where there is room, and stays open while the queue moves: the one about to be decided must not change by
  // itself.
  const first = keys[0];
  useEffect(() => {
    if (wide && state.item === '' && first !== undefined) setState({ item: first });
  }, [wide, state.item, first, setState]);

  const ready = opened.approval?.key === current ? opened.approval.uid : undefined;
  const { readDecision, wantDecision, wantMoved, rowFocus } = useInboxFocus({ wide, current, ready });
  const show = useCallback(
    (key: string, push: boolean) => (key === current ? readDecision() : setState({ item: key }, { push })),
    [setState, current, readDecision],
  );
  const open = useCallback((key: string) => show(key, true), [show]);
  const moveTo = useCallback(
    (key: string) => {
      wantMoved(key);
      // Keys pass over items on their way: on a wide screen the way back does not stop at each.
      show(key, !wide);
    },
    [show, wide, wantMoved],
  );
  const next = useMemo(() => {
    const key = at >= 0 ? nextAfter(keys, current) : keys[Math.min(lastIndex.current, keys.length - 1)];
    return key === current ? undefined : key;
  }, [keys, current, at]);
  const goNext = useCallback(() => {
    wantDecision();
    setState({ item: next ?? '' });
  }, [next, setState, wantDecision]);
  const taken = useDecided(current, goNext);
  return {
    scope,
    state,
    setState,
    setFilters,
    wide,
    queue,
    history,
    inHistory,
    loading: inHistory ? history.loading : queue.pending.loading,
    selection,
    place,
    opened,
    keys,
    current,
    lastIndex: lastIndex.current,
    open,
    moveTo,
    rowFocus,
    goNext: next === undefined ? undefined : goNext,
    ...taken,
    readDecision,
  };
}

/** Decisions that this person made a moment ago; a decided item makes room for the next one. */
function useDecided(current: string, goNext: () => void) {
  const [decided, setDecided] = useState<readonly Approval[]>([]);
  const onDecided = useCallback(
    (approval: Approval) => {
      setDecided((before) => [approval, ...before.filter(({ uid }) => uid !== approval.uid)].slice(0, JUST_DECIDED_MAX));
      if (approval.key === current) goNext();
    },
    [current, goNext],
  );
  return { decided, onDecided, forgetDecided: useCallback(() => setDecided([]), []) };
}

export type InboxControl = ReturnType<typeof useInbox>;

/** Whether there is room for the queue beside the open item. */
function useWide(): boolean {
  const covered = useCovered();
  return useMedia(covered ? '(min-width: 1024px)' : '(min-width: 768px)');
}
