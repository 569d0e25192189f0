// Summary of a kind that the console has from the start. The whole definition, with schema and rules, is a chunk of its own
// (definitions.ts).
import type { Column, KindArea, PhaseAction } from '@svc/shared/kinds/define';

export interface KindSummary {
  readonly kind: string;
  /** The path segment of REST and of the console's own addresses. */
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  readonly area: KindArea;
  readonly phases: readonly string[];
  readonly columns: readonly Column[];
  readonly actions: readonly PhaseAction[];
  readonly fieldSelectors: readonly string[];
  /** Status fields that lists and changes leave out. */
  readonly heavyStatusFields: readonly string[];
  readonly applyOrder: number;
  readonly notice?: string;
}
