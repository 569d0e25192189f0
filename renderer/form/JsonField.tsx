// A part of a value as JSON text, for shapes that no other control can draw. Invalid text stays in the field and is not accepted.
import type { Json } from '@svc/shared/json';
import { useContext, useState } from 'react';
import { CircleAlert } from 'lucide-react';
import { FieldContext } from '../ui/input/field-context.ts';
import { Textarea } from '../ui/input/Textarea.tsx';
import { useForm } from './form-context.ts';

export interface JsonFieldProps {
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
}

type Read = { readonly ok: true; readonly value: Json | undefined } | { readonly ok: false; readonly message: string };

function read(text: string): Read {
  if (text.trim() === '') return { ok: false, message: 'write null for nothing' };
  try {
    return { ok: true, value: JSON.parse(text) as Json };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

const shown = (value: Json | undefined) => (value === undefined ? '' : JSON.stringify(value, null, 2));

export function JsonField({ value, onChange }: JsonFieldProps) {
  const { readOnly } = useForm();
  const field = useContext(FieldContext);
  const [draft, setDraft] = useState<{ readonly text: string; readonly for: string }>();
  const current = shown(value);
  const text = draft?.for === current ? draft.text : current;
  const fault: Read = text === '' && value === undefined ? { ok: true, value } : read(text);
  const messageId = `${field?.id ?? ''}-json`;
  return (
    <>
      <Textarea
        mono
        readOnly={readOnly}
        value={text}
        {...(!fault.ok && { 'aria-invalid': true, 'aria-describedby': [field?.describedBy, messageId].filter(Boolean).join(' ') })}
        onChange={(event) => {
          const next = read(event.target.value);
          setDraft({ text: event.target.value, for: next.ok ? shown(next.value) : current });
          if (next.ok) onChange(next.value);
        }}
      />
      {!fault.ok && (
        <p id={messageId} role="alert" className="flex items-start gap-1 text-sm text-danger">
          <CircleAlert aria-hidden className="mt-0.5 size-3 shrink-0" />
          Not valid JSON yet; the last valid value is used: {fault.message}
        </p>
      )}
    </>
  );
}
