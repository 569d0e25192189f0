// The decision: comment, buttons, and the second step that risky ones take. Shows a decision as taken only once the server has answered.
import { useEffect, useRef, type ReactNode } from 'react';
import { ShortcutKeys } from '../../../shortcuts/ShortcutKeys.tsx';
import { bottomBar } from '../../../ui/layout/bottom-bar.ts';
import { Field } from '../../../ui/input/Field.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';
import { ConfirmStep } from './ConfirmStep.tsx';
import { DecisionButtons } from './DecisionButtons.tsx';
import { RefusalBanner } from './RefusalBanner.tsx';
import type { DecisionControl } from './use-decision.ts';
import { useDecisionKeys } from './use-decision-keys.ts';

export interface DecisionBarProps {
  readonly control: DecisionControl;
  /** Subject of the decision, for buttons and confirmations: the tool's name, the review point. */
  readonly subject: string;
  readonly approveLabel: string;
  /** Consequence of approving, in a sentence. */
  readonly approveConsequence: string;
  /** Consequence of denying. */
  readonly denyConsequence: string;
  /** Reason why nothing can be decided. */
  readonly blocked: string | undefined;
  /** Reason why approving alone is not possible. */
  readonly approveBlocked: string | undefined;
  /** Absent where work cannot be sent back at all. */
  readonly changes?: { readonly blocked: string | undefined } | undefined;
  readonly comment: string;
  readonly onComment: (comment: string) => void;
  readonly onNext: (() => void) | undefined;
  /** Further choices beside the decisions. */
  readonly more?: ReactNode;
}

export function DecisionBar(props: DecisionBarProps) {
  const { control, changes, comment, onComment, blocked, approveBlocked } = props;
  const { stage, refusal } = control;
  const commentField = useRef<HTMLTextAreaElement>(null);
  const firstButton = useRef<HTMLButtonElement>(null);
  const waiting = stage.name === 'hold' || stage.name === 'arm' || stage.name === 'typed';
  const buttons = useRef<HTMLDivElement>(null);
  const act = useDecisionKeys({ control, blocked, approveBlocked, changes, comment, commentField, buttons });
  // Focus must not be lost when a confirmation goes away.
  const wasWaiting = useRef(false);
  useEffect(() => {
    if (wasWaiting.current && stage.name === 'idle') firstButton.current?.focus();
    // A decision that is refused while it is sent returns to idle as well.
    if (stage.name !== 'sending') wasWaiting.current = waiting;
  }, [waiting, stage.name]);
  return (
    <section ref={bottomBar} aria-label="Your decision" className="border-t border-border bg-surface">
      <div className="mx-auto max-w-4xl px-5 py-3 max-sm:px-4">
        {refusal && <RefusalBanner refusal={refusal} onDismiss={control.dismiss} onNext={props.onNext} />}
        <Field label="Comment" aside={<ShortcutKeys id="approvals.comment" keys="c" className="max-sm:hidden" />}>
          <Textarea
            ref={commentField}
            rows={1}
            className="min-h-8"
            value={comment}
            placeholder={changes ? 'What should change (saved in the signed record)' : 'Reason (saved in the signed record)'}
            onChange={(event) => onComment(event.target.value)}
            onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
          />
        </Field>
        {waiting ? (
          <ConfirmStep
            control={control}
            stage={stage}
            subject={props.subject}
            approveConsequence={props.approveConsequence}
            denyConsequence={props.denyConsequence}
            approveLabel={props.approveLabel}
            onType={() => commentField.current?.focus()}
          />
        ) : (
          <DecisionButtons
            sending={stage.name === 'sending' ? stage.decision : undefined}
            approveLabel={props.approveLabel}
            blocked={blocked}
            approveBlocked={approveBlocked}
            changes={changes}
            commented={comment.trim() !== ''}
            act={act}
            firstButton={firstButton}
            group={buttons}
            more={props.more}
          />
        )}
      </div>
    </section>
  );
}
