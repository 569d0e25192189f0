// Changes of a server's tool filter by one name. Pure.

export interface FilterChange {
  /** `spec.tool_filter.include`; none means all. */
  readonly include: readonly string[] | undefined;
  readonly discovered: readonly string[];
  readonly name: string;
}

export function withTool({ include = [], name }: FilterChange): readonly string[] {
  return [...new Set([...include, name])];
}

/** Undefined for the last name: a filter without names would import all tools. */
export function withoutTool({ include, discovered, name }: FilterChange): readonly string[] | undefined {
  const rest = (include?.length ? include : discovered).filter((each) => each !== name);
  return rest.length === 0 ? undefined : rest;
}
