// Fields of a kind's definition, for showing objects. Loads the definitions on first use.
import type { Field } from '@svc/shared/kinds/kind-fields';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { loadDefinitions } from '../../kinds/definitions.ts';

export interface KindFields {
  readonly spec: Field | undefined;
  readonly status: Field | undefined;
}

async function readFields(kind: string): Promise<KindFields> {
  const [{ kindByName }, { kindFields }] = await Promise.all([loadDefinitions(), import('@svc/shared/kinds/kind-fields')]);
  const definition = kindByName(kind);
  const [spec, status] = definition ? kindFields(definition) : [];
  return { spec, status };
}

export const kindFieldsQuery = (kind: string) =>
  queryOptions({
    queryKey: ['definitions', 'fields', kind],
    queryFn: () => readFields(kind),
    refetchInterval: false,
    staleTime: 'static',
  });

/** Undefined until the definitions are loaded: without them only the explanations are missing. */
export function useKindFields(kind: string): KindFields | undefined {
  return useQuery(kindFieldsQuery(kind)).data;
}
