// The whole definitions of the kinds: zod schemas, rules, references. Several hundred KB, so it is loaded when an editor or the designer needs it.
import type { KindDefinition } from '@svc/shared/kinds/define';

export interface KindDefinitions {
  readonly kinds: readonly KindDefinition[];
  readonly kindByName: (name: string) => KindDefinition | undefined;
}

let loading: Promise<KindDefinitions> | undefined;

/** Loads the chunk once; every caller shares it. A failed load is tried again at the next call. */
export function loadDefinitions(): Promise<KindDefinitions> {
  loading ??= import('@svc/shared/kinds').catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}
