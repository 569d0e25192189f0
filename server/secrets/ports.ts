// How callers obtain a Secret's value at call time. Values live in memory only; they are never journalled, logged or traced.

export interface SecretResolver {
  /** The single value of a Secret reference (`name` or `namespace/name`): key `value`, else its only key, else an error that lists the keys it has. Falls back to the environment. Rejects with `not_found` naming both places looked in. */
  resolveValue(ref: string, namespace: string): Promise<string>;
  /** All decoded entries of a Secret; the environment fallback gives `{ value }`. */
  resolveEntries(ref: string, namespace: string): Promise<Readonly<Record<string, string>>>;
}
