// The one way to change an object by its text: write, review the server's result, apply, merge after a concurrent change. Drafts survive
// the tab. Works around any editor of the text: YAML, a form, a canvas.
import type { Resource } from '@svc/shared/resource';
import type { ReactNode } from 'react';
import { kindNamed } from '../kinds/kind-table.ts';
import { generationWord } from '../kinds/kind-titles.ts';
import { mayWrite, useCanWrite } from '../sign-in/can-write.ts';
import { useHello } from '../sign-in/use-hello.ts';
import { Banner } from '../ui/feedback/Banner.tsx';
import { Button } from '../ui/button/Button.tsx';
import { toastDone, toastInfo } from '../ui/overlay/toast.ts';
import { ApplyBar, type AppliedEdits } from './ApplyBar.tsx';
import { ApplyDialogs } from './ApplyDialogs.tsx';
import { DraftBanner } from './DraftBanner.tsx';
import type { Editing } from './editing.ts';
import { objectYaml } from '../yaml/serialise.ts';
import { useApply, type Applying } from './use-apply.ts';
import { useDraft, type DraftState } from './use-draft.ts';
import { baseOfDraft, beginWith, rebased, useEditedText } from './use-edited-text.ts';
import { ErrorCard } from '../ui/feedback/ErrorCard.tsx';
import { YamlEditor } from './YamlEditor.tsx';
import type { DraftKey } from './drafts.ts';

/** Objects that are edited together with this one, and stored in one transaction with it. */
export interface OtherEdits {
  readonly count: number;
  /** Reviews all of them, with this object. */
  readonly review: () => void;
  readonly discard: () => void;
  /** Absent where there is none to undo. */
  readonly applied?: AppliedEdits;
  /** Their drafts of an earlier visit. */
  readonly draft: DraftState;
  readonly restore: () => void;
}

export interface ApplyFlowProps {
  /** Keep its identity. */
  readonly target: DraftKey;
  /** The object as it is now, kept live by the caller; undefined for a new object. */
  readonly current: Resource | undefined;
  /** Initial text for a new object or a prepared change. Default: the object's own YAML. */
  readonly initialText?: string;
  readonly onApplied?: (resource: Resource) => void;
  readonly others?: OtherEdits;
  /** The editor; without it the YAML editor. */
  readonly children?: (editing: Editing) => ReactNode;
}

/** State of the edited text: its draft, its review and its write. */
function useFlow({ target, current, initialText, onApplied, others }: ApplyFlowProps) {
  const { begun, setBegun, dirty, setText, overtaken } = useEditedText(current, initialText);
  const { reason } = useCanWrite();
  const hello = useHello();
  const draft = useDraft({ target, text: begun.text, baseText: begun.baseText, dirty });
  const applying = useApply({
    target,
    text: begun.text,
    base: begun.base,
    onRebase: (base) => setBegun((before) => ({ ...before, base })),
    onApplied: (resource, action, text) => {
      const what = `${resource.kind} ${resource.metadata.name}`;
      if (action === 'unchanged') toastInfo(`${what} is unchanged`);
      else {
        const word = generationWord(kindNamed(resource.kind));
        toastDone(`${what} ${action === 'created' ? 'created' : 'applied'}, ${word} ${resource.metadata.generation}`);
      }
      adopt(resource, text);
    },
  });
  const adopt = (resource: Resource, written: string) => {
    draft.forget();
    setBegun(({ text, epoch }) => ({ ...beginWith(resource, text === written ? undefined : text), epoch }));
    onApplied?.(resource);
  };
  const isNew = begun.base === undefined;
  const review = () => {
    const together = others !== undefined && others.count > 0;
    if (reason !== undefined || !(dirty || isNew || together)) return;
    // Versions count from 1 for every object: another one of this name may have the base version of this text.
    if (overtaken && overtaken.metadata.uid !== begun.base?.metadata.uid) applying.meet(overtaken);
    else if (together) others.review();
    else applying.review();
  };
  const merge = (text: string, theirs: Resource | undefined) => {
    setBegun((before) => rebased(before, { base: theirs, baseText: theirs ? objectYaml(theirs) : '', text }));
    applying.back();
  };
  const editing: Editing = {
    ...{ text: begun.text, setText, dirty, review, merge, base: begun.base, baseText: begun.baseText, epoch: begun.epoch },
    diagnostics: applying.diagnostics,
    adopt,
    readOnly: hello !== undefined && !mayWrite('live', hello.identity.role).allowed,
    readOnlyReason: reason,
  };
  const restore = () => {
    const { offered } = draft;
    others?.restore();
    if (!offered) return;
    const outdated = begun.base !== undefined && offered.baseText !== begun.baseText;
    if (begun.base && outdated)
      setBegun(rebased(begun, { base: baseOfDraft(offered.baseText, begun.base), baseText: offered.baseText, text: offered.text }));
    else setText(offered.text);
    draft.restored();
  };
  const discard = () => {
    draft.forget();
    others?.discard();
    setBegun((before) => rebased(before, beginWith(current, current ? undefined : (initialText ?? ''))));
  };
  return { begun, editing, draft, applying, overtaken, isNew, restore, discard };
}

export function ApplyFlow(props: ApplyFlowProps) {
  const { target, others, children } = props;
  const { begun, editing, draft, applying, overtaken, isNew, restore, discard } = useFlow(props);
  const bothKept = (draft.kept || !editing.dirty) && (others === undefined || others.count === 0 || others.draft.kept);
  const shown = { ...both(draft, others?.draft), kept: bothKept };
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <DraftBanner draft={shown} onRestore={restore} />
      {overtaken && !applying.unsure && applying.state.step !== 'conflict' && (
        <Banner
          tone="warn"
          action={
            <Button size="sm" onClick={() => applying.meet(overtaken)}>
              Merge
            </Button>
          }
        >
          Somebody else changed this object while you edited it. Your text is safe.
        </Banner>
      )}
      <ApplyFailure applying={applying} />
      {children ? children(editing) : <DefaultEditor editing={editing} target={target} />}
      <ApplyBar
        editing={{ ...editing, dirty: editing.dirty || (others?.count ?? 0) > 0 }}
        draft={shown}
        applying={applying}
        isNew={isNew}
        applied={others?.applied}
        onDiscard={discard}
      />
      <ApplyDialogs
        applying={applying}
        begun={begun}
        disabledReason={editing.readOnlyReason}
        overtaken={overtaken}
        onMerged={editing.merge}
      />
    </div>
  );
}

/** The drafts of the object and of those edited with it, as one offer. */
function both(own: DraftState, others: DraftState | undefined): DraftState {
  if (!others) return own;
  return {
    ...own,
    offered: own.offered ?? others.offered,
    discard: () => {
      own.discard();
      others.discard();
    },
  };
}

/** Reason why a text was not applied, where it has no place in the text. */
function ApplyFailure({ applying }: { readonly applying: Applying }) {
  const { failure, unsure } = applying;
  if (!failure || (failure.code === 'invalid' && failure.details.length > 0)) return null;
  const again = failure.code === 'not_found' ? 'It was deleted. Copy your text to create it again.' : undefined;
  return (
    <div className="p-3">
      <ErrorCard
        error={again === undefined ? failure : { ...failure, message: `${failure.message}. ${again}` }}
        title={unsure ? 'Whether it was applied is not known yet' : 'Not applied'}
        onRetry={applying.review}
      />
    </div>
  );
}

/** The YAML editor of an ApplyFlow, for callers that bring none. */
function DefaultEditor({ editing, target }: { readonly editing: Editing; readonly target: DraftKey }) {
  const { kind, namespace, name } = target;
  return (
    <YamlEditor
      label={name === undefined ? `YAML of the new ${kind}` : `YAML of ${kind} ${namespace}/${name}`}
      value={editing.text}
      epoch={editing.epoch}
      onChange={editing.setText}
      kind={kind}
      namespace={namespace}
      readOnly={editing.readOnly && !editing.dirty}
      diagnostics={editing.diagnostics}
      onSave={editing.review}
    />
  );
}
