// A label selector, `env=prod,tier!=web`: checked while typing, applied with Enter or on blur.
import { parseLabelSelector } from '@svc/shared/labels';
import { Tag } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { Input } from './Input.tsx';

export interface LabelSelectorInputProps {
  readonly value: string;
  /** Called with valid selectors only; the empty text selects all. */
  readonly onChange: (selector: string) => void;
  /** Selectors and keys to offer. */
  readonly suggestions?: readonly string[];
}

function problemOf(selector: string): string | undefined {
  try {
    parseLabelSelector(selector);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'This is not a label selector.';
  }
}

export function LabelSelectorInput({ value, onChange, suggestions = [] }: LabelSelectorInputProps) {
  const id = useId();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const problem = problemOf(text.trim());
  const apply = () => {
    if (problem === undefined && text.trim() !== value) onChange(text.trim());
  };
  return (
    <div className="relative w-56 max-sm:w-full">
      <Input
        icon={<Tag />}
        mono={text !== ''}
        aria-label="Label selector"
        placeholder="Labels: env=prod"
        value={text}
        list={`${id}-list`}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        onChange={(event) => setText(event.target.value)}
        onBlur={apply}
        onKeyDown={(event) => {
          if (event.key === 'Enter') apply();
          if (event.key === 'Escape') setText(value);
        }}
      />
      <datalist id={`${id}-list`}>
        {suggestions.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      {problem !== undefined && (
        <p
          id={`${id}-problem`}
          role="alert"
          className="absolute top-full right-0 left-0 z-20 mt-1 rounded-md bg-raised px-2 py-1 text-sm text-danger shadow-overlay"
        >
          {problem}
        </p>
      )}
    </div>
  );
}
