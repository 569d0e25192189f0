// Dialogs over the editor on the way to a write: the review, and the merge with somebody else's change.
import type { Resource } from '@svc/shared/resource';
import { Dialog } from '../ui/overlay/Dialog.tsx';
import { ApplyPreview } from './ApplyPreview.tsx';
import { MergeView } from './MergeView.tsx';
import { objectYaml } from '../yaml/serialise.ts';
import type { Applying } from './use-apply.ts';

export interface ApplyDialogsProps {
  readonly applying: Applying;
  readonly begun: { readonly base: Resource | undefined; readonly baseText: string; readonly text: string };
  readonly disabledReason: string | undefined;
  /** The object as somebody else left it after this text was begun. */
  readonly overtaken: Resource | undefined;
  readonly onMerged: (text: string, theirs: Resource) => void;
}

export function ApplyDialogs({ applying, begun, disabledReason, overtaken, onMerged }: ApplyDialogsProps) {
  const { state, back } = applying;
  return (
    <>
      {(state.step === 'preview' || state.step === 'writing') && (
        <ApplyPreview
          preview={state.preview}
          stored={begun.base}
          writing={state.step === 'writing'}
          disabledReason={disabledReason}
          onLookAgain={overtaken && (() => applying.meet(overtaken))}
          onApply={applying.write}
          onClose={back}
        />
      )}
      {state.step === 'conflict' && (
        <Dialog
          open
          size="xl"
          onClose={back}
          title="Somebody else changed this object"
          description="Both changes are below. Nothing is written until you apply the merged version."
        >
          <MergeView
            base={begun.baseText}
            mine={begun.text}
            theirs={objectYaml(state.theirs)}
            onMerged={(text) => onMerged(text, state.theirs)}
            onCancel={back}
          />
        </Dialog>
      )}
    </>
  );
}
