// A value in one of several forms: the form, then its fields.
import { jsonEquals } from '@svc/shared/json';
import { useState } from 'react';
import { Select } from '../ui/input/Select.tsx';
import { useEdited } from './EditedMark.tsx';
import { useForm } from './form-context.ts';
import { GroupFrame } from './GroupFrame.tsx';
import { drawingOf, startValue, type JsonSchema } from './json-schema.ts';
import type { GroupProps } from './ObjectField.tsx';
import { fits } from './validate-value.ts';

const TYPES: Readonly<Record<string, string>> = {
  text: 'Text',
  number: 'Number',
  boolean: 'True or false',
  object: 'Object',
  list: 'List',
  json: 'JSON',
  enum: 'One of a few',
  choice: 'One of several forms',
};

function optionName(option: JsonSchema, root: JsonSchema): string {
  const { title, control } = drawingOf(option, undefined, root);
  if (title !== undefined) return title;
  return control.type === 'const' ? JSON.stringify(control.value) : (TYPES[control.type] ?? 'Form');
}

export function OptionsField({ part, drawing, mark }: GroupProps) {
  const { Part, root, readOnly } = useForm();
  const { control } = drawing;
  const options = control.type === 'choice' ? control.options : [];
  const fitting = part.value === undefined ? -1 : options.findIndex((option) => fits(part.value, option, root));
  const [chosen, setChosen] = useState(Math.max(0, fitting));
  // A value from elsewhere, as after a reset, may be of another form.
  const [seen, setSeen] = useState(part.value);
  const [written, setWritten] = useState(part.value);
  if (!jsonEquals(part.value, seen)) {
    setSeen(part.value);
    if (!jsonEquals(part.value, written)) setChosen(Math.max(0, fitting));
  }
  const { original } = useEdited(part.path, part.value);
  const write: typeof part.onChange = (value) => {
    // A reset brings the form of the original, the one inside the chosen form too.
    if (!jsonEquals(value, original)) setWritten(value);
    part.onChange(value);
  };
  const option = options[chosen];
  const names = options.map((each, index) => ({ value: String(index), label: `${index + 1}. ${optionName(each, root)}` }));
  return (
    <GroupFrame part={part} drawing={drawing} mark={mark}>
      <Select
        aria-label={`Form of ${part.name}`}
        value={String(chosen)}
        options={names}
        disabled={readOnly}
        onChange={(next) => {
          setChosen(Number(next));
          write(startValue(options[Number(next)] ?? {}, root));
        }}
      />
      {option !== undefined && <Part {...part} onChange={write} key={chosen} schema={option} name={part.name} />}
    </GroupFrame>
  );
}
