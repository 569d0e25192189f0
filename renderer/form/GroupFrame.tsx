// Frame of fields that belong together: an object, a list, a choice of forms.
import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { UntrustedText } from '../ui/text/UntrustedText.tsx';
import { useFieldError, useForm, type PartProps } from './form-context.ts';
import type { Drawing } from './json-schema.ts';
import { PartName } from './PartName.tsx';

export interface GroupFrameProps {
  readonly part: PartProps;
  readonly drawing: Drawing;
  readonly mark: ReactNode;
  /** Buttons at the end of its title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function GroupFrame({ part, drawing, mark, actions, children }: GroupFrameProps) {
  const { depth } = useForm();
  const error = useFieldError(part.path);
  const faults = error !== undefined && (
    <p role="alert" className="flex items-start gap-1 text-sm text-danger">
      <CircleAlert aria-hidden className="mt-0.5 size-3 shrink-0" />
      {error}
    </p>
  );
  // The whole form needs no frame of its own.
  if (part.path.length === depth)
    return (
      <div className="flex min-w-0 flex-col gap-4">
        {faults}
        {children}
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
    );
  return (
    <fieldset className="min-w-0 rounded-md border border-border px-3 pt-1 pb-3">
      <legend className="max-w-full px-1">
        <span className="flex items-center gap-2 text-sm font-medium text-text">
          <span>
            <PartName part={part} drawing={drawing} />
          </span>
          {part.required && (
            <span aria-hidden className="text-danger">
              *
            </span>
          )}
          {mark}
        </span>
      </legend>
      <div className="flex min-w-0 flex-col gap-3">
        {drawing.description !== undefined && (
          <p className="text-sm text-muted">
            <UntrustedText text={drawing.description} />
          </p>
        )}
        {children}
        {faults}
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
    </fieldset>
  );
}
