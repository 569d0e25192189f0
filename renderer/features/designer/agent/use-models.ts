// Models that an agent of the design may ask: those of the namespace, live, and those drafted beside the system.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../../live/api.ts';
import { draftsOf, specOfDraft } from '../document/drafts.ts';
import type { Design } from '../document/use-design.ts';
import { modelSummary } from './vendors.ts';

export interface OfferedModel {
  /** As an agent of this namespace names it. */
  readonly ref: string;
  /** `OpenAI gpt-5-mini`. */
  readonly summary: string;
  readonly drafted: boolean;
}

const MODELS_MAX = 200;

export function useModels(namespace: string, { drafts }: Pick<Design, 'drafts'>): readonly OfferedModel[] {
  const { data } = useQuery(api.resources.list.queryOptions({ kind: 'ModelEndpoint', namespace, order: 'name', limit: MODELS_MAX }));
  return useMemo(() => {
    const own = draftsOf(drafts, 'ModelEndpoint').filter((draft) => draft.namespace === namespace);
    const names = new Set(own.map(({ name }) => name));
    const stored = (data?.items ?? []).filter(({ metadata }) => !names.has(metadata.name));
    return [
      ...own.map((draft) => ({ ref: draft.name, summary: modelSummary(specOfDraft(draft)), drafted: true })),
      ...stored.map(({ metadata, spec }) => ({ ref: metadata.name, summary: modelSummary(spec), drafted: false })),
    ];
  }, [data, drafts, namespace]);
}
