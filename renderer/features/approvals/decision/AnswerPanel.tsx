// Form for an answer in place of a call that has not been made: the tool does not run.
import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Button } from '../../../ui/button/Button.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';

export interface AnswerPanelProps {
  readonly answer: string;
  readonly onAnswer: (answer: string) => void;
  readonly onClose: () => void;
}

export function AnswerPanel({ answer, onAnswer, onClose }: AnswerPanelProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    void field.current?.scrollIntoView?.({ block: 'nearest' });
    field.current?.focus({ preventScroll: true });
  }, []);
  return (
    <Card
      title="Answer in place of the call"
      description="The call is not made. The agent continues with your text, and a note that a reviewer answered."
      actions={
        <Button size="sm" icon={<X />} onClick={onClose}>
          Do not answer
        </Button>
      }
    >
      <div data-sent-with-approval>
        <Field label="Your answer">
          <Textarea
            ref={field}
            value={answer}
            placeholder="What the agent should read as the result"
            onChange={(event) => onAnswer(event.target.value)}
            onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
          />
        </Field>
      </div>
    </Card>
  );
}
