// The frame of a field of one control: label, mark, hint, error.
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Field } from '../ui/input/Field.tsx';
import { IconButton } from '../ui/button/IconButton.tsx';
import { UntrustedText } from '../ui/text/UntrustedText.tsx';
import { EditedMark } from './EditedMark.tsx';
import { useFieldError, useForm, type PartProps } from './form-context.ts';
import type { Drawing } from './json-schema.ts';
import { PartName } from './PartName.tsx';

export interface FieldShellProps {
  readonly part: PartProps;
  readonly drawing: Drawing;
  readonly children: ReactNode;
}

export function FieldShell({ part, drawing, children }: FieldShellProps) {
  const { readOnly } = useForm();
  const error = useFieldError(part.path);
  const { description } = drawing;
  return (
    <Field
      label={<PartName part={part} drawing={drawing} />}
      // An entry exists because somebody added it, so it is never marked as required.
      required={part.required && part.onRemove === undefined && typeof part.path.at(-1) !== 'number'}
      error={error}
      aside={
        <span className="inline-flex items-center gap-1">
          <EditedMark {...part} />
          {part.onRemove && !readOnly && <IconButton size="sm" label={`Remove ${part.name}`} icon={<X />} onClick={part.onRemove} />}
        </span>
      }
      {...(description !== undefined && { hint: <UntrustedText text={description} /> })}
    >
      {children}
    </Field>
  );
}
