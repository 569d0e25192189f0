// The whole definitions of the kinds: zod schemas, rules, references. Several hundred KB, so it is loaded when an editor or the designer needs it.
import type { KindDefinition } from '@svc/shared/kinds/define';

export interface KindDefinitions {
  readonly kinds: readonly KindDefinition[];
  readonly kindByName: (name: string) => KindDefinition | undefined;
}

let loading: Promise<KindDefinitions> | undefined;

/** Loads the chunk once; every caller shares it. A failed load is retried at the next call. */
export function loadDefinitions(): Promise<KindDefinitions> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** Zod's settings are fixed when schemas are created, and the page's policy forbids code made from text. */
async function load(): Promise<KindDefinitions> {
  const { withoutEval } = await import('@svc/shared/kinds/without-eval');
  withoutEval();
  return import('@svc/shared/kinds');
}
