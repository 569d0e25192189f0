// Labels of a route, as pairs of fields.
import { Plus, X } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { Input } from '../../ui/Input.tsx';

export interface LabelsEditorProps {
  readonly labels: Readonly<Record<string, string>>;
  readonly onChange: (labels: Readonly<Record<string, string>>) => void;
  readonly disabled: boolean;
}

/** Rows keep their place while a key is being typed. A row without a key is not yet a label. */
export function LabelsEditor({ labels, onChange, disabled }: LabelsEditorProps) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const rows = Object.entries(labels);
  const rename = (index: number, key: string) => {
    if (key === '' || Object.hasOwn(labels, key)) return;
    onChange(Object.fromEntries(rows.map(([old, value], at) => [at === index ? key : old, value])));
  };
  const add = (key: string) => {
    setOpen(false);
    if (key !== '' && !Object.hasOwn(labels, key)) onChange({ ...labels, [key]: '' });
  };
  return (
    <fieldset className="flex flex-col gap-1.5" disabled={disabled}>
      <legend className="mb-1 text-sm font-medium text-text">Labels the output must carry</legend>
      {rows.map(([key, value], index) => (
        <div key={index} className="flex items-center gap-1.5">
          <Input mono aria-label={`Label ${index + 1}`} defaultValue={key} onBlur={(event) => rename(index, event.target.value.trim())} />
          <span aria-hidden className="text-muted">
            =
          </span>
          <Input
            mono
            aria-label={`Value of ${key}`}
            value={value}
            onChange={(event) => onChange({ ...labels, [key]: event.target.value })}
          />
          <IconButton
            size="sm"
            label={`Remove the label ${key}`}
            icon={<X />}
            onClick={() => onChange(Object.fromEntries(rows.filter(([each]) => each !== key)))}
          />
        </div>
      ))}
      {open ? (
        <Input
          ref={(element) => element?.focus()}
          id={`${id}-new`}
          mono
          aria-label="New label"
          placeholder="route"
          onBlur={(event) => add(event.target.value.trim())}
          onKeyDown={(event) => event.key === 'Enter' && add(event.currentTarget.value.trim())}
        />
      ) : (
        <Button size="sm" icon={<Plus />} onClick={() => setOpen(true)} className="self-start">
          Label
        </Button>
      )}
      <p className="text-sm text-muted">
        An agent sets labels in the last line of its output: <code className="font-mono text-xs">{'{"route": "billing"}'}</code> sets
        route=billing.
      </p>
    </fieldset>
  );
}
