// What an editor inside an ApplyFlow works with.
import type { Resource } from '@svc/shared/resource';
import type { YamlDiagnostic } from './YamlEditor.tsx';

/** What an editor inside the flow works with. */
export interface Editing {
  readonly text: string;
  readonly setText: (text: string) => void;
  /** Server message of the text, for a YamlEditor. */
  readonly diagnostics: readonly YamlDiagnostic[];
  /** Opens the review. */
  readonly review: () => void;
  readonly dirty: boolean;
  /** The state of the object that the text began from. */
  readonly base: Resource | undefined;
  readonly baseText: string;
  /** Whether this person may change nothing of it. A lost server stops the write only: one goes on writing meanwhile. */
  readonly readOnly: boolean;
  /** Why nothing may be written now. */
  readonly readOnlyReason: string | undefined;
}
