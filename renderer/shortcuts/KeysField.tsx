// Field for keys, typed, or pressed when they are a chord. Taken keys cannot be saved.
import { useState, type KeyboardEvent } from 'react';
import { Button } from '../ui/button/Button.tsx';
import { Input } from '../ui/input/Input.tsx';
import { chordOf, normalKeys } from './key-match.ts';
import { Form } from '../ui/input/Form.tsx';

export interface KeysFieldProps {
  readonly initial: string;
  /** Shortcut that already has these keys. */
  readonly clash: (keys: string) => string | undefined;
  readonly onSave: (keys: string) => void;
  readonly onCancel: () => void;
}

export function KeysField({ initial, clash, onSave, onCancel }: KeysFieldProps) {
  const [text, setText] = useState(initial);
  const keys = normalKeys(text);
  const other = clash(keys);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      // Escape closes the field only, not a dialog around it.
      event.stopPropagation();
      onCancel();
    } else if ((event.ctrlKey || event.metaKey) && !['Control', 'Meta', 'Shift', 'Alt'].includes(event.key)) {
      // A chord is easier to press than to spell. Ctrl alone is the start of one.
      event.preventDefault();
      setText(chordOf(event));
    }
  };
  return (
    <Form className="flex flex-wrap items-center justify-end gap-2" onSubmit={() => other === undefined && onSave(keys)}>
      {other !== undefined && (
        <span role="alert" className="text-sm text-danger">
          Taken by “{other}”
        </span>
      )}
      <Input
        ref={(input) => input?.focus()}
        mono
        aria-label="Keys, such as mod+k or g d; empty for none"
        aria-invalid={other !== undefined}
        placeholder="none"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        className="h-6 w-28"
      />
      <Button size="sm" type="submit" variant="primary" disabled={other !== undefined}>
        Save
      </Button>
    </Form>
  );
}
