// Exports all objects that a list's filters select, up to a reported bound.
import { useCallback, useRef } from 'react';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { formatNumber } from '../../../ui/format.ts';
import { toastDone, toastError, toastInfo } from '../../../ui/toast.ts';
import { EXPORT_MAX, readAll } from '../object-yaml.ts';
import { exportObjects } from '../use-object-actions.tsx';
import { countOf, kindWord } from '../object-text.ts';
import type { ListInput } from '../../../live/list-selectors.ts';

/** `prefix`: prefix of the names that the list shows. */
export function useExportAll(kind: KindSummary, input: ListInput, prefix: string): () => void {
  const latest = useRef({ input, prefix });
  latest.current = { input, prefix };
  return useCallback(() => {
    const run = async () => {
      const { items, more } = await readAll(latest.current.input, latest.current.prefix);
      if (items.length === 0) return toastInfo(`There are no ${kindWord(kind.kind, 2)} to export`);
      await exportObjects(kind, items);
      if (more) toastInfo(`The first ${formatNumber(EXPORT_MAX)} were exported. Narrow the list, or use npx svcctl get, for the rest.`);
      else toastDone(`${countOf(kind.kind, items.length)} exported`);
    };
    run().catch((error: unknown) => toastError('The export failed', error));
  }, [kind]);
}
