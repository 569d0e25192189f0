// A text. An empty optional one is omitted, unless it was empty before.
import type { Json } from '@svc/shared/json';
import { useState } from 'react';
import { Input } from '../ui/input/Input.tsx';
import { Textarea } from '../ui/input/Textarea.tsx';
import { useForm } from './form-context.ts';

export interface TextFieldProps {
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
  readonly required: boolean;
  readonly long: boolean;
  readonly format: string | undefined;
}

const HINTS: Readonly<Record<string, string>> = {
  'date-time': '2026-03-01T14:30:00Z',
  date: '2026-03-01',
  uri: 'https://…',
  email: 'name@example.com',
  duration: '10m',
};

export function TextField({ value, onChange, required, long, format }: TextFieldProps) {
  const { readOnly } = useForm();
  const text = value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  // Growing past the width must not swap the control under the cursor. A field of one line would drop line breaks, as of a moved entry.
  const [area, setArea] = useState(long);
  if (!area && text.includes('\n')) setArea(true);
  const change = (next: string) => onChange(next === '' && !required ? undefined : next);
  const placeholder = format === undefined ? undefined : HINTS[format];
  if (area) return <Textarea readOnly={readOnly} value={text} placeholder={placeholder} onChange={(event) => change(event.target.value)} />;
  return <Input readOnly={readOnly} value={text} placeholder={placeholder} onChange={(event) => change(event.target.value)} />;
}
