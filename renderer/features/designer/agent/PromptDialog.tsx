// Prompt in a dialog of full height, beside a trial with the input of the last run, and the differences from the stored prompt.
import { parseRef } from '@svc/shared/resource';
import { Play, Square } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../ui/button/Button.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { SegmentedControl } from '../../../ui/input/SegmentedControl.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';
import { modelOf } from '../document/drafts.ts';
import type { Design } from '../document/use-design.ts';
import { questionTo } from './model-question.ts';
import { PromptChanges, type PromptChangesProps } from './PromptChanges.tsx';
import { tokensText } from './prompt-tokens.ts';
import { insertPart, ReceivedParts } from './ReceivedParts.tsx';
import { TrialAnswer } from './TrialAnswer.tsx';
import { useLastMessage, type LastInput } from './use-last-run.ts';
import { useTrial } from './use-trial.ts';

export interface PromptDialogProps extends PromptChangesProps {
  readonly open: boolean;
  readonly design: Design;
  readonly last: LastInput;
  readonly sources: readonly string[];
  readonly onClose: () => void;
}

const VIEWS = [
  { value: 'try', label: 'Try' },
  { value: 'changes', label: 'Changes' },
] as const;

function messageHint(task: string, answered: boolean): string {
  if (task === '') return 'The system has not run yet: write an input for it.';
  return answered ? `As in the run ${task}.` : `No agent before it answered in the run ${task}: write an answer for them.`;
}

function TryPane({ agent, prompt, design, last, sources, readOnly }: PromptDialogProps) {
  const trial = useTrial();
  const { message: received, answered } = useLastMessage(last, agent, sources);
  const [written, setWritten] = useState<string>();
  const message = written ?? received;
  const ref = modelOf(agent);
  const reason =
    ref === ''
      ? 'Choose a model first'
      : message.trim() === ''
        ? 'Write a message first'
        : readOnly
          ? 'You may not try models here'
          : undefined;
  const ask = () => trial.ask({ ...questionTo(design.drafts, parseRef(ref, agent.namespace)), prompt, message, agent: agent.name });
  return (
    <>
      <Field label="Message" hint={messageHint(last.task, answered)}>
        <Textarea rows={6} value={message} onChange={(event) => setWritten(event.target.value)} />
      </Field>
      <div className="flex items-center gap-2">
        {trial.busy ? (
          <Button icon={<Square />} onClick={trial.stop}>
            Stop
          </Button>
        ) : (
          <Button variant="primary" icon={<Play />} disabledReason={reason} onClick={ask}>
            Ask {ref === '' ? 'the model' : ref}
          </Button>
        )}
        <span className="text-sm text-muted">One answer, without tools. Nothing is stored.</span>
      </div>
      <TrialAnswer trial={trial} content />
    </>
  );
}

export function PromptDialog(props: PromptDialogProps) {
  const { open, agent, prompt, last, sources, readOnly, onChange, onClose } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const [view, setView] = useState<'try' | 'changes'>('try');
  useEffect(() => {
    if (open) setView('try');
  }, [open]);
  return (
    <Dialog open={open} onClose={onClose} title={`Prompt of ${agent.name}`} size="full">
      <div className="grid h-full grid-cols-2 gap-5 max-md:h-auto max-md:grid-cols-1">
        <div className="flex min-h-0 min-w-0 flex-col gap-2">
          <Field label="Prompt" aside={tokensText(prompt)} className="min-h-0 flex-1">
            <Textarea
              data-autofocus
              ref={field}
              readOnly={readOnly}
              className="max-h-none min-h-64 flex-1 resize-none leading-relaxed"
              value={prompt}
              onChange={(event) => onChange(event.target.value)}
            />
          </Field>
          <ReceivedParts
            input={last.input}
            sources={sources}
            {...(!readOnly && { onInsert: (part: string) => insertPart(field.current, part, onChange) })}
          />
        </div>
        <div className="flex min-h-0 min-w-0 flex-col gap-3 overflow-y-auto max-md:overflow-visible">
          <SegmentedControl label="Beside the prompt" value={view} segments={VIEWS} onChange={setView} />
          {view === 'try' ? <TryPane {...props} /> : <PromptChanges {...props} />}
        </div>
      </div>
    </Dialog>
  );
}
