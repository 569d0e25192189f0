// The inspector beside a list: Space opens the focused row, and the inspector follows the focus.
import { useCallback } from 'react';
import type { ObjectRef } from '../navigation/addresses.ts';
import { useInspected, useInspector } from './inspector-context.ts';

/** Props of a DataTable. `refOf` must keep its identity. */
export function useListPeek<Row>(kind: string, refOf: (row: Row) => ObjectRef) {
  const inspector = useInspector();
  const { peek } = useInspected();
  const shown = peek?.kind === kind ? peek : undefined;
  const isOpen = shown !== undefined;
  const tab = shown?.tab;
  const onPeek = useCallback(
    (row: Row, by: 'key' | 'click') => {
      const object = refOf(row);
      const already = shown?.name === object.name && shown.namespace === object.namespace;
      if (already) inspector?.close();
      else inspector?.open(object, { focus: by === 'click', ...(tab && { tab }) });
    },
    [inspector, refOf, shown, tab],
  );
  const onActiveChange = useCallback(
    (row: Row) => {
      if (isOpen) inspector?.open(refOf(row), { focus: false, ...(tab && { tab }) });
    },
    [inspector, refOf, isOpen, tab],
  );
  return { onPeek, onActiveChange, openKey: shown && `${shown.namespace}/${shown.name}` };
}
