// User-written text of any length: the beginning at first, all of it on request.
import { useId, useState } from 'react';
import { UntrustedText } from '../../../ui/UntrustedText.tsx';
import { Button } from '../../../ui/Button.tsx';
import { CodeBlock } from '../../../ui/CodeBlock.tsx';
import { formatNumber } from '../../../ui/format.ts';

export interface LongTextProps {
  readonly text: string;
  readonly label: string;
}

const SHORT_CHARS = 120;
const FOLDED_LINES = 8;
const FOLDED_CHARS = 700;

function folded(text: string): string {
  return text.split('\n', FOLDED_LINES).join('\n').slice(0, FOLDED_CHARS);
}

export function LongText({ text, label }: LongTextProps) {
  const id = useId();
  const [open, setOpen] = useState(false);
  if (text.length <= SHORT_CHARS && !text.includes('\n')) return <UntrustedText text={text} />;
  const beginning = folded(text);
  const whole = beginning.length === text.length;
  return (
    <div id={id} className="flex max-w-3xl flex-col items-start gap-1">
      <CodeBlock wrap text={open || whole ? text : `${beginning.trimEnd()} …`} label={label} className="w-full" />
      {!whole && (
        <Button variant="link" size="sm" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
          {open ? 'Show less' : `Show all ${formatNumber(text.length)} characters`}
        </Button>
      )}
    </div>
  );
}
