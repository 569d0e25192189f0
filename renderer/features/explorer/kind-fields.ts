// Fields of a kind's definition, for showing objects. Loads the definitions on first use.
import type { Field } from '@svc/shared/kinds/kind-fields';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { loadDefinitions } from '../../kinds/definitions.ts';

/** A field with its children, by name. */
export interface FieldNode {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly defaultText: string | undefined;
  readonly required: boolean;
  readonly values: readonly string[];
  readonly format: string | undefined;
  readonly children: ReadonlyMap<string, FieldNode>;
}

export interface KindFields {
  readonly spec: FieldNode | undefined;
  readonly status: FieldNode | undefined;
}

/** Fields refer to no ancestor, but a definition may. */
const DEPTH_MAX = 8;

async function readFields(kind: string): Promise<KindFields> {
  const [{ kindByName }, { childFields, kindFields }] = await Promise.all([loadDefinitions(), import('@svc/shared/kinds/kind-fields')]);
  const definition = kindByName(kind);
  if (!definition) return { spec: undefined, status: undefined };
  const nodeOf = (field: Field, depth: number): FieldNode => ({
    name: field.name,
    type: field.type,
    description: field.description,
    defaultText: field.defaultText,
    required: field.required,
    values: field.values,
    format: field.format,
    children: new Map(depth < DEPTH_MAX ? childFields(field).map((child) => [child.name, nodeOf(child, depth + 1)]) : []),
  });
  const [spec, status] = kindFields(definition);
  return { spec: spec && nodeOf(spec, 0), status: status && nodeOf(status, 0) };
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
