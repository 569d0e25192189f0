// A select for one of a few values of any type.
import { jsonEquals, type Json } from '@svc/shared/json';
import { Select } from '../ui/input/Select.tsx';
import { useForm } from './form-context.ts';

export interface ChoiceSelectProps {
  readonly values: readonly Json[];
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
  readonly required: boolean;
  /** Values in words. */
  readonly titleOf?: ((value: string) => string) | undefined;
}

const ABSENT = 'absent';
const OTHER = 'other';

const textOf = (value: Json) => (typeof value === 'string' && value !== '' ? value : JSON.stringify(value));

/** Shows the written value too, because the YAML has it. */
function titled(text: string, titleOf: ChoiceSelectProps['titleOf']): string {
  const title = titleOf?.(text) ?? text;
  return title === text ? text : `${title} (${text})`;
}

export function ChoiceSelect({ values, value, onChange, required, titleOf }: ChoiceSelectProps) {
  const { readOnly } = useForm();
  const at = value === undefined ? -1 : values.findIndex((each) => jsonEquals(each, value));
  const strange = value !== undefined && at < 0;
  const options = [
    ...(!required || value === undefined ? [{ value: ABSENT, label: required ? 'Choose…' : 'Not set' }] : []),
    ...(strange ? [{ value: OTHER, label: textOf(value), disabled: true }] : []),
    ...values.map((each, index) => ({ value: String(index), label: titled(textOf(each), titleOf) })),
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
