// Labels of a route, as pairs of fields.
import { Plus, X } from 'lucide-react';
import { useId, useRef, useState, type KeyboardEvent } from 'react';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Input } from '../../../ui/input/Input.tsx';

export interface LabelsEditorProps {
  readonly labels: Readonly<Record<string, string>>;
  /** `typed` names the label whose value is being typed. */
  readonly onChange: (labels: Readonly<Record<string, string>>, typed?: string) => void;
  readonly disabled: boolean;
}

interface NewLabelProps {
  /** `goOn`: the person moves on to the value. */
  readonly onAdd: (name: string, goOn: boolean) => void;
}

/** A button that becomes the field of a new name. Enter and Tab move on to its value, Escape returns to the button. */
function NewLabel({ onAdd }: NewLabelProps) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const returning = useRef(false);
  const end = (name: string, goOn: boolean) => {
    setOpen(false);
    if (name !== '') onAdd(name, goOn);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const { key, shiftKey, currentTarget: field } = event;
    const name = field.value.trim();
    if (key === 'Enter' || (key === 'Tab' && !shiftKey && name !== '')) {
      event.preventDefault();
      end(name, true);
    } else if (key === 'Escape') {
      event.preventDefault();
      field.value = '';
      returning.current = true;
      end('', false);
    }
  };
  const onButton = (button: HTMLButtonElement | null) => {
    if (!button || !returning.current) return;
    returning.current = false;
    button.focus();
  };
  return open ? (
    <Input
      ref={(element) => element?.focus()}
      id={`${id}-new`}
      mono
      aria-label="New label"
      placeholder="route"
      onBlur={(event) => end(event.target.value.trim(), false)}
      onKeyDown={onKeyDown}
    />
  ) : (
    <Button ref={onButton} size="sm" icon={<Plus />} onClick={() => setOpen(true)} className="self-start">
      Label
    </Button>
  );
}

/** Rows keep their place while a key is being typed. A row without a key is not yet a label. */
export function LabelsEditor({ labels, onChange, disabled }: LabelsEditorProps) {
  const rows = Object.entries(labels);
  const rename = (index: number, field: HTMLInputElement) => {
    const [old = ''] = rows[index] ?? [];
    const key = field.value.trim();
    // An invalid name is reset instead of being left in the field.
    if (key === '' || Object.hasOwn(labels, key)) field.value = old;
    else onChange(Object.fromEntries(rows.map(([name, value], at) => [at === index ? key : name, value])));
  };
  const added = useRef<string>(undefined);
  const add = (key: string, goOn: boolean) => {
    if (Object.hasOwn(labels, key)) return;
    if (goOn) added.current = key;
    onChange({ ...labels, [key]: '' });
  };
  const onValue = (key: string) => (field: HTMLInputElement | null) => {
    if (!field || added.current !== key) return;
    added.current = undefined;
    field.focus();
  };
  return (
    <fieldset className="flex flex-col gap-1.5" disabled={disabled}>
      <legend className="mb-1 text-sm font-medium text-text">Required output labels</legend>
      {rows.map(([key, value], index) => (
        <div key={index} className="flex items-center gap-1.5">
          <Input key={key} mono aria-label={`Label ${index + 1}`} defaultValue={key} onBlur={(event) => rename(index, event.target)} />
          <span aria-hidden className="text-muted">
            =
          </span>
          <Input
            ref={onValue(key)}
            mono
            aria-label={`Value of ${key}`}
            value={value}
            onChange={(event) => onChange({ ...labels, [key]: event.target.value }, key)}
          />
          <IconButton
            size="sm"
            label={`Remove the label ${key}`}
            icon={<X />}
            onClick={() => onChange(Object.fromEntries(rows.filter(([each]) => each !== key)))}
          />
        </div>
      ))}
      <NewLabel onAdd={add} />
      <p className="text-sm text-muted">
        An agent sets labels in the last line of its output: <code className="font-mono text-xs">{'{"route": "billing"}'}</code> sets
        route=billing.
      </p>
    </fieldset>
  );
}
