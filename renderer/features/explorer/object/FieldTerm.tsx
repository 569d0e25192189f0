// The name of a field, with its description from the kind's definition.
import { Tooltip } from '../../../ui/overlay/Tooltip.tsx';
import type { Field } from '@svc/shared/kinds/kind-fields';
import { fieldTitle } from '../../../kinds/field-titles.ts';
import { CodeMarks } from '../../../ui/text/CodeMarks.tsx';

export interface FieldTermProps {
  readonly name: string;
  /** Names of entries stay as written. */
  readonly verbatim?: boolean;
  readonly field: Field | undefined;
}

export function FieldTerm({ name, verbatim = false, field }: FieldTermProps) {
  const text = verbatim ? <span className="font-mono [overflow-wrap:anywhere]">{name}</span> : fieldTitle(name);
  if (!field?.description) return text;
  return (
    <Tooltip
      side="right"
      text={
        <span>
          <code className="font-mono">{field.name}</code> · {field.typeText}
          <br />
          <CodeMarks text={field.description} />
          {field.defaultText !== undefined && (
            <>
              <br />
              Default: {field.defaultText}
            </>
          )}
        </span>
      }
    >
      <button
        type="button"
        className="cursor-help rounded-xs text-left decoration-border-strong decoration-dotted underline-offset-4 hover:underline focus-visible:underline"
      >
        {text}
      </button>
    </Tooltip>
  );
}
