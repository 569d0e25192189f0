// A select for one of a few values of any type.
import { jsonEquals, type Json } from '@svc/shared/json';
import { Select } from '../ui/Select.tsx';
import { useForm } from './form-context.ts';

export interface ChoiceSelectProps {
  readonly values: readonly Json[];
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
  readonly required: boolean;
}

const ABSENT = 'absent';
const OTHER = 'other';

const textOf = (value: Json) => (typeof value === 'string' && value !== '' ? value : JSON.stringify(value));

export function ChoiceSelect({ values, value, onChange, required }: ChoiceSelectProps) {
  const { readOnly } = useForm();
  const at = value === undefined ? -1 : values.findIndex((each) => jsonEquals(each, value));
  const strange = value !== undefined && at < 0;
  const options = [
    ...(!required || value === undefined ? [{ value: ABSENT, label: required ? 'Choose…' : 'Not set' }] : []),
    ...(strange ? [{ value: OTHER, label: textOf(value), disabled: true }] : []),
    ...values.map((each, index) => ({ value: String(index), label: textOf(each) })),
  ];
  return (
    <Select
      value={strange ? OTHER : at < 0 ? ABSENT : String(at)}
      options={options}
      disabled={readOnly}
      onChange={(next) => next !== OTHER && onChange(next === ABSENT ? undefined : values[Number(next)])}
    />
  );
}
