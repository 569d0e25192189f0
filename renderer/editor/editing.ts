// Interface between an ApplyFlow and the editor inside it.
import type { Resource } from '@svc/shared/resource';
import type { YamlDiagnostic } from './YamlEditor.tsx';

/** State and actions that the flow passes to its editor. */
export interface Editing {
  readonly text: string;
  readonly setText: (text: string) => void;
  /** Problems that the server found in the text, for a YamlEditor. */
  readonly diagnostics: readonly YamlDiagnostic[];
  /** Opens the review. */
  readonly review: () => void;
  readonly dirty: boolean;
  /** The state of the object that the text began from. */
  readonly base: Resource | undefined;
  readonly baseText: string;
  /** Grows when a concurrent change enters the text: an undo must not go back behind it. */
  readonly epoch: number;
  /** Takes a merged text, based on the object as it is now; undefined when it was deleted. */
  readonly merge: (text: string, theirs: Resource | undefined) => void;
  /** Whether this person may not change the object. A lost server blocks the write only, and editing continues. */
  readonly readOnly: boolean;
  /** Takes over a stored version that was written by other means than this flow. Edits since the written text stay. */
  readonly adopt: (resource: Resource, written: string) => void;
  /** Reason why nothing may be written now. */
  readonly readOnlyReason: string | undefined;
}
