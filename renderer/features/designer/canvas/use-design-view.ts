// Visible parts of the designer: panes and aids, in the address, so that a link or reload shows the same.
import { useCallback, useMemo, useState } from 'react';
import { flagParam, textParam, useSearchState, type SearchParam } from '../../../navigation/search-state.ts';

export interface DesignView {
  readonly outline: boolean;
  readonly yaml: boolean;
  readonly minimap: boolean;
  readonly legend: boolean;
  /** The one selected agent or route, as the address has it. */
  readonly item: string;
  readonly set: (change: Partial<Omit<DesignView, 'set'>>) => void;
}

/** On unless the address says otherwise. */
const onParam: SearchParam<boolean> = { read: ([first]) => first !== 'false', write: (value) => (value ? [] : ['false']) };

const PARAMS = { outline: onParam, code: flagParam, map: flagParam, legend: flagParam, item: textParam };
const NARROW_PX = 1024;

export function useDesignView(): DesignView {
  const [search, setSearch] = useSearchState(PARAMS);
  const [narrow] = useState(() => window.innerWidth < NARROW_PX);
  const [opened, setOpened] = useState(false);
  const set = useCallback(
    ({ outline, yaml, minimap, legend, item }: Partial<Omit<DesignView, 'set'>>) => {
      if (outline !== undefined) setOpened(outline);
      const change = {
        ...(outline !== undefined && { outline }),
        ...(yaml !== undefined && { code: yaml }),
        ...(minimap !== undefined && { map: minimap }),
        ...(legend !== undefined && { legend }),
        ...(item !== undefined && { item }),
      };
      if (Object.keys(change).length > 0) setSearch(change);
    },
    [setSearch],
  );
  const outline = search.outline && (!narrow || opened);
  return useMemo(
    () => ({ outline, yaml: search.code, minimap: search.map, legend: search.legend, item: search.item, set }),
    [outline, search, set],
  );
}
