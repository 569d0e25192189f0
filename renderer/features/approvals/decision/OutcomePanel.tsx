// Form for the outcome of a call that was sent and never answered: only a person can find it out.
import type { CallOutcome } from '@svc/shared/kinds/tool-approval/outcomes';
import { Card } from '../../../ui/layout/Card.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { RadioGroup } from '../../../ui/input/RadioGroup.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';

export interface OutcomePanelProps {
  readonly outcome: CallOutcome | undefined;
  readonly output: string;
  readonly onOutcome: (outcome: CallOutcome) => void;
  readonly onOutput: (output: string) => void;
}

const OPTIONS = [
  {
    value: 'done',
    label: 'It was done',
    hint: 'The call was carried out. The agent continues with the output you enter, or with a note that it was done.',
  },
  { value: 'not_done', label: 'It was not done', hint: 'Nothing happened. The agent receives a note of that and decides what to do next.' },
  {
    value: 'run_again',
    label: 'Run it again',
    hint: 'The same call is sent again with the same request id. A tool that recognizes the id runs it once; other tools may run it twice.',
  },
] as const;

export function OutcomePanel({ outcome, output, onOutcome, onOutput }: OutcomePanelProps) {
  return (
    <Card
      title="What happened to the call?"
      description="Its worker was lost, or it timed out, after it was sent. Check the target system, then report the outcome."
    >
      <div data-sent-with-approval>
        <RadioGroup
          label="Outcome of the call"
          value={outcome ?? ''}
          options={OPTIONS}
          onChange={(value) => onOutcome(value as CallOutcome)}
        />
        {outcome === 'done' && (
          <Field label="What the tool answered" hint="Optional. The agent reads it as the tool's own answer." className="mt-4">
            <Textarea mono value={output} onChange={(event) => onOutput(event.target.value)} />
          </Field>
        )}
      </div>
    </Card>
  );
}
