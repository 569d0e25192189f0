// Tools that an agent of the design may get: those drafted beside the system, and those of the namespace, live.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { specOf } from '../../../kinds/read.ts';
import { api } from '../../../live/api.ts';
import { draftsOf, specOfDraft } from '../document/drafts.ts';
import type { Design } from '../document/use-design.ts';

export interface OfferedTool {
  readonly name: string;
  readonly risk: string;
  readonly description: string;
}

const LISTED_MAX = 500;

export function useTools(namespace: string, { drafts }: Pick<Design, 'drafts'>): readonly OfferedTool[] {
  const { data } = useQuery(api.resources.list.queryOptions({ kind: 'Tool', namespace, order: 'name', limit: LISTED_MAX }));
  return useMemo(() => {
    const offered = (name: string, spec: unknown): OfferedTool => {
      const { risk_level: risk = '', description = '' } = specOf('Tool', { spec });
      return { name, risk, description };
    };
    const own = draftsOf(drafts, 'Tool').map((draft) => offered(draft.name, specOfDraft(draft)));
    const names = new Set(own.map(({ name }) => name));
    const stored = (data?.items ?? []).map(({ metadata, spec }) => offered(metadata.name, spec));
    return [...own, ...stored.filter(({ name }) => !names.has(name))];
  }, [data, drafts]);
}
