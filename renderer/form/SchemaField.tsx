// Control for one part of a value, by its schema.
import { Suspense, type ReactNode } from 'react';
import { Checkbox } from '../ui/input/Checkbox.tsx';
import { lazyPart } from '../ui/lazy-part.ts';
import { Mono } from '../ui/text/Mono.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { valueTitle } from '../kinds/field-titles.ts';
import { ChoiceSelect } from './ChoiceSelect.tsx';
import { TimeZoneField } from './cron/TimeZoneField.tsx';
import { EditedMark } from './EditedMark.tsx';
import { FieldShell } from './FieldShell.tsx';
import { useForm, type PartProps } from './form-context.ts';
import { JsonField } from './JsonField.tsx';
import { drawingOf, type Drawing } from './json-schema.ts';
import { ListField } from './ListField.tsx';
import { NumberField } from './NumberField.tsx';
import { ObjectField } from './ObjectField.tsx';
import { OptionsField } from './OptionsField.tsx';
import { ReferenceField } from './ReferenceField.tsx';
import { TextField } from './TextField.tsx';

/** Loads the rules of cron. */
const CronField = lazyPart(async () => (await import('./cron/CronField.tsx')).CronField);

function BooleanControl({ part }: { readonly part: PartProps }) {
  const { readOnly } = useForm();
  const { value, required, onChange } = part;
  // Absent and false differ; a box could only show one of them.
  if (!required || value === undefined)
    return <ChoiceSelect values={[true, false]} value={value} onChange={onChange} required={required} />;
  return <Checkbox checked={value === true} disabled={readOnly} onChange={onChange} />;
}

function TextControl({ part, by }: { readonly part: PartProps; readonly by: Extract<Drawing['control'], { type: 'text' }> }) {
  const { namesOf, readOnly, valueAtPath } = useForm();
  const { value, onChange, required } = part;
  const kind = namesOf && by.format?.startsWith('ref:') ? by.format.slice(4) : undefined;
  if (kind !== undefined) return <ReferenceField kind={kind} value={value} onChange={onChange} />;
  if (by.format === 'cron' && valueAtPath)
    return (
      <Suspense fallback={<Skeleton className="h-24" />}>
        <CronField part={part} />
      </Suspense>
    );
  if (by.format === 'time-zone') return <TimeZoneField value={value} onChange={onChange} disabled={readOnly} />;
  return <TextField value={value} onChange={onChange} required={required} long={by.long} format={by.format} />;
}

function control(part: PartProps, drawing: Drawing): ReactNode {
  const { value, onChange, required } = part;
  const { control: by } = drawing;
  switch (by.type) {
    case 'text':
      return <TextControl part={part} by={by} />;
    case 'number':
      return <NumberField value={value} onChange={onChange} />;
    case 'boolean':
      return <BooleanControl part={part} />;
    case 'enum':
      return (
        <ChoiceSelect
          values={by.values}
          value={value}
          onChange={onChange}
          required={required}
          titleOf={drawing.words === undefined ? undefined : valueTitle}
        />
      );
    case 'const':
      return <ChoiceSelect values={[by.value]} value={value} onChange={onChange} required={required} />;
    default:
      return <JsonField value={value} onChange={onChange} />;
  }
}

export function SchemaField(part: PartProps) {
  const { root, readOnly } = useForm();
  const drawing = drawingOf(part.schema, part.value, root);
  const { type } = drawing.control;
  if (part.value === null && drawing.nullable)
    return (
      <FieldShell part={part} drawing={drawing}>
        <div className="flex h-control items-center gap-2 text-muted">
          <Mono>null</Mono>
          <Checkbox checked disabled={readOnly} label="Nothing" onChange={() => part.onChange(undefined)} />
        </div>
      </FieldShell>
    );
  if (type === 'object') return <ObjectField part={part} drawing={drawing} mark={<EditedMark {...part} />} />;
  if (type === 'list') return <ListField part={part} drawing={drawing} mark={<EditedMark {...part} />} />;
  if (type === 'choice') return <OptionsField part={part} drawing={drawing} mark={<EditedMark {...part} />} />;
  return (
    <FieldShell part={part} drawing={drawing}>
      {control(part, drawing)}
    </FieldShell>
  );
}
