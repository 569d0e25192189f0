// The prompt in a window of its own: at full height, beside a trial with the input of the last run and the changes against the stored one.
import { estimateTokens } from '@svc/shared/token-estimate';
import { parseRef } from '@svc/shared/resource';
import { Play, Square } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Field } from '../../../ui/Field.tsx';
import { formatNumber } from '../../../ui/format.ts';
import { SegmentedControl } from '../../../ui/SegmentedControl.tsx';
import { Textarea } from '../../../ui/Textarea.tsx';
import { specOfDraft, type DraftObject } from '../document/drafts.ts';
import type { Design } from '../document/use-design.ts';
import { questionTo } from './model-question.ts';
import { PromptChanges } from './PromptChanges.tsx';
import { insertAt, ReceivedParts } from './ReceivedParts.tsx';
import { TrialAnswer } from './TrialAnswer.tsx';
import { useLastMessage, type LastInput } from './use-last-run.ts';
import { useTrial } from './use-trial.ts';

export interface PromptDialogProps {
  readonly open: boolean;
  readonly agent: DraftObject;
  readonly prompt: string;
  /** The stored prompt; undefined for a new agent. */
  readonly stored: string | undefined;
  readonly design: Design;
  readonly last: LastInput;
  readonly sources: readonly string[];
  readonly readOnly: boolean;
  readonly onChange: (prompt: string) => void;
  readonly onClose: () => void;
}

const VIEWS = [
  { value: 'try', label: 'Try' },
  { value: 'changes', label: 'Changes' },
] as const;

function TryPane({ agent, prompt, design, last, sources, readOnly }: PromptDialogProps) {
  const trial = useTrial();
  const received = useLastMessage(last, agent, sources);
  const [written, setWritten] = useState<string>();
  const message = written ?? received;
  const model = specOfDraft(agent)['model_ref'];
  const ref = typeof model === 'string' ? model : '';
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
      <Field
        label="Message"
        hint={last.task === '' ? 'The system has not run yet: write what it would be asked.' : `As in the run ${last.task}.`}
      >
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
    <Dialog open={open} onClose={onClose} title={`Prompt of ${agent.name}`} size="xl">
      <div className="grid grid-cols-2 gap-5 max-md:grid-cols-1">
        <div className="flex min-w-0 flex-col gap-2">
          <Field label="Prompt" aside={`about ${formatNumber(estimateTokens(prompt))} tokens`}>
            <Textarea
              data-autofocus
              ref={field}
              readOnly={readOnly}
              className="h-[62vh] max-h-[62vh] leading-relaxed"
              value={prompt}
              onChange={(event) => onChange(event.target.value)}
            />
          </Field>
          <ReceivedParts
            input={last.input}
            sources={sources}
            {...(!readOnly && { onInsert: (part: string) => onChange(insertAt(field.current, prompt, part)) })}
          />
        </div>
        <div className="flex min-w-0 flex-col gap-3">
          <SegmentedControl label="Beside the prompt" value={view} segments={VIEWS} onChange={setView} />
          {view === 'try' ? <TryPane {...props} /> : <PromptChanges {...props} />}
        </div>
      </div>
    </Dialog>
  );
}
