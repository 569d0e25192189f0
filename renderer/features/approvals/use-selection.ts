// Which approvals of the queue are selected, and from where a range of them is drawn.
import { useCallback, useMemo, useState } from 'react';
import { selectRows } from '../../ui/table-model.ts';

export function useSelection(keys: readonly string[]) {
  const [wanted, setWanted] = useState<ReadonlySet<string>>(new Set());
  const [anchor, setAnchor] = useState<string>();
  /** What is gone or filtered out is not selected: nobody sees it. */
  const selected = useMemo(() => new Set(keys.filter((key) => wanted.has(key))), [keys, wanted]);
  const toggle = useCallback(
    (key: string, range: boolean) => {
      const at = keys.indexOf(key);
      if (at < 0) return;
      const from = range && anchor !== undefined ? keys.indexOf(anchor) : -1;
      setWanted(selectRows(selected, keys, { at, anchor: from < 0 ? undefined : from }));
      if (!range) setAnchor(key);
    },
    [keys, anchor, selected],
  );
  const clear = useCallback(() => setWanted(new Set()), []);
  return { selected, toggle, clear };
}
