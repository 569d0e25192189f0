// The name of another object, chosen from existing ones or typed for a future one.
import type { Json } from '@svc/shared/json';
import { Combobox } from '../ui/input/Combobox.tsx';
import { useForm } from './form-context.ts';

export interface ReferenceFieldProps {
  readonly kind: string;
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
}

export function ReferenceField({ kind, value, onChange }: ReferenceFieldProps) {
  const { namesOf, readOnly } = useForm();
  return (
    <Combobox
      mono
      allowCustom
      disabled={readOnly}
      value={typeof value === 'string' ? value : ''}
      placeholder={`Name of ${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}`}
      onChange={(next) => onChange(next.trim() === '' ? undefined : next.trim())}
      options={(query, signal) => (namesOf ? namesOf(kind, query, signal) : Promise.resolve([]))}
    />
  );
}
