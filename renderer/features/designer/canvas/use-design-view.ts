// Visible parts of the designer: panes and aids, in the address, so that a link or reload shows the same.
import { useCallback, useMemo } from 'react';
import { flagParam, panelParam, textParam, useSearchState, type SearchParam } from '../../../navigation/search-state.ts';

export interface DesignView {
  readonly outline: boolean;
  /** The inspector stays open without a selection. */
  readonly details: boolean;
  readonly yaml: boolean;
  /** Undefined: as the size of the system suggests. */
  readonly minimap: boolean | undefined;
  readonly legend: boolean;
  /** The one selected agent or route, as the address has it. */
  readonly item: string;
  readonly set: (change: Partial<Omit<DesignView, 'set'>>) => void;
}

const mapParam: SearchParam<boolean | undefined> = {
  read: ([first]) => (first === 'true' ? true : first === 'false' ? false : undefined),
  write: (value) => (value === undefined ? [] : [String(value)]),
};

const PARAMS = {
  outline: flagParam,
  details: panelParam(flagParam),
  code: panelParam(flagParam),
  map: mapParam,
  legend: flagParam,
  item: panelParam(textParam),
};

export function useDesignView(): DesignView {
  const [search, setSearch] = useSearchState(PARAMS);
  const set = useCallback(
    ({ outline, details, yaml, minimap, legend, item }: Partial<Omit<DesignView, 'set'>>) => {
      const change = {
        ...(outline !== undefined && { outline }),
        ...(details !== undefined && { details }),
        ...(yaml !== undefined && { code: yaml }),
        ...(minimap !== undefined && { map: minimap }),
        ...(legend !== undefined && { legend }),
        ...(item !== undefined && { item }),
      };
      if (Object.keys(change).length > 0) setSearch(change);
    },
    [setSearch],
  );
  return useMemo(
    () => ({
      outline: search.outline,
      details: search.details,
      yaml: search.code,
      minimap: search.map,
      legend: search.legend,
      item: search.item,
      set,
    }),
    [search, set],
  );
}
