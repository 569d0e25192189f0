// Selected approvals of the queue, and the anchor of a range.
import { useCallback, useMemo, useState } from 'react';
import { selectRows } from '../../../ui/table/table-model.ts';
import type { QueueItem } from './queue.ts';

/** The selection holds what the person saw: an approval that takes the name of a selected one is not selected. */
export function useSelection(items: readonly QueueItem[]) {
  const uids = useMemo(() => new Map(items.map(({ approval: { key, uid } }) => [key, uid])), [items]);
  const keys = useMemo(() => [...uids.keys()], [uids]);
  /** uid by key. */
  const [wanted, setWanted] = useState<ReadonlyMap<string, string>>(new Map());
  const [anchor, setAnchor] = useState<string>();
  /** Removed and filtered items are not selected, because nobody sees them. */
  const selected = useMemo(() => new Set(keys.filter((key) => wanted.get(key) === uids.get(key))), [keys, uids, wanted]);
  const toggle = useCallback(
    (key: string, range: boolean) => {
      const at = keys.indexOf(key);
      if (at < 0) return;
      const from = range && anchor !== undefined ? keys.indexOf(anchor) : -1;
      const next = selectRows(selected, keys, { at, anchor: from < 0 ? undefined : from });
      setWanted(new Map([...next].map((each) => [each, uids.get(each) ?? ''])));
      if (!range) setAnchor(key);
    },
    [keys, uids, anchor, selected],
  );
  const clear = useCallback(() => setWanted(new Map()), []);
  return { selected, toggle, clear };
}
