// A number as text, so that incomplete input stays. Invalid text is passed on unchanged and reported as an error.
import type { Json } from '@svc/shared/json';
import { useState } from 'react';
import { Input } from '../ui/input/Input.tsx';
import { useForm } from './form-context.ts';

export interface NumberFieldProps {
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[-+]?\d+)?$/i;

const shown = (value: Json | undefined) =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

function read(text: string): Json | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  return NUMBER.test(trimmed) ? Number(trimmed) : text;
}

export function NumberField({ value, onChange }: NumberFieldProps) {
  const { readOnly } = useForm();
  const [draft, setDraft] = useState<string>();
  // A draft belongs to its value: when the value changes, as by a reset, the draft is discarded.
  const text = draft !== undefined && read(draft) === value ? draft : shown(value);
  return (
    <Input
      mono
      inputMode="decimal"
      readOnly={readOnly}
      value={text}
      onChange={(event) => {
        setDraft(event.target.value);
        onChange(read(event.target.value));
      }}
    />
  );
}
