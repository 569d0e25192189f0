// The name of another object, chosen from existing ones or typed for a future one.
import { Combobox } from '../ui/input/Combobox.tsx';
import { useForm, type ReferenceFieldProps } from './form-context.ts';

export function ReferenceField(reference: ReferenceFieldProps) {
  const { kind, value, onChange } = reference;
  const { namesOf, besideReference, readOnly } = useForm();
  return (
    <div className="flex items-center gap-2">
      <Combobox
        mono
        allowCustom
        className="flex-1"
        disabled={readOnly}
        value={typeof value === 'string' ? value : ''}
        placeholder={`Name of ${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}`}
        onChange={(next) => onChange(next.trim() === '' ? undefined : next.trim())}
        options={(query, signal) => (namesOf ? namesOf(kind, query, signal) : Promise.resolve([]))}
      />
      {!readOnly && besideReference?.(reference)}
    </div>
  );
}
