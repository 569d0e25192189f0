// Parts of the message that an agent receives: the keys of the system's input, and the outputs of the agents before it.
import { CornerDownLeft } from 'lucide-react';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { beginningOf } from '../../../ui/text/whole-characters.ts';

const TITLE_CHARS = 200;

export interface ReceivedPartsProps {
  readonly input: Readonly<Record<string, string>>;
  readonly sources: readonly string[];
  /** Writes the words for a part into the prompt; absent where nothing can be written. */
  readonly onInsert?: (words: string) => void;
}

interface Part {
  readonly label: string;
  readonly title: string;
  readonly words: string;
}

/** Prompts are plain text: a part is named in words, as the agent finds it in its message. */
function partsOf({ input, sources }: ReceivedPartsProps): readonly Part[] {
  const keys = Object.entries(input).map(([key, value]) => ({
    label: key,
    title: value === '' ? 'Input of the run' : `Input, last: ${beginningOf(value, TITLE_CHARS)}`,
    words: `the "${key}" of the Task input`,
  }));
  const messages = sources.map((source) => ({
    label: `From ${source}`,
    title: `The output of ${source}`,
    words: `the section "From ${source}"`,
  }));
  return [...keys, ...messages];
}

/**
 * Writes a part over the selection, with spaces where words would touch; at the end of a text in which no cursor was set. The person writes
 * on behind it.
 */
export function insertPart(field: HTMLTextAreaElement | null, part: string, write: (text: string) => void): void {
  if (!field) return;
  const { value, selectionEnd } = field;
  const [from, to] = selectionEnd === 0 ? [value.length, value.length] : [field.selectionStart, selectionEnd];
  const before = value.slice(0, from) + (/\S$/.test(value.slice(0, from)) ? ' ' : '') + part;
  const after = value.slice(to);
  write(before + (/^\w/.test(after) ? ' ' : '') + after);
  // After the new text is rendered, which moves the cursor.
  requestAnimationFrame(() => {
    field.focus({ preventScroll: true });
    field.setSelectionRange(before.length, before.length);
  });
}

export function ReceivedParts(props: ReceivedPartsProps) {
  const { onInsert } = props;
  const parts = partsOf(props);
  if (parts.length === 0)
    return <p className="text-sm text-muted">It receives the input of the run, and the output of the agents before it.</p>;
  return (
    <div className="flex flex-wrap items-center gap-1 text-sm text-muted">
      <span>Receives</span>
      {parts.map(({ label, title, words }) =>
        onInsert ? (
          <button
            key={label}
            type="button"
            title={`${title}. Press to name it in the prompt.`}
            onClick={() => onInsert(words)}
            className="inline-flex h-6 max-w-full items-center gap-1 rounded-sm border border-border bg-surface px-1.5 text-text hover:bg-hover"
          >
            <span className="truncate">
              <UntrustedText text={label} />
            </span>
            <CornerDownLeft aria-hidden className="size-3 text-faint" />
          </button>
        ) : (
          <span key={label} title={title} className="rounded-sm bg-neutral-soft px-1.5 text-text">
            <UntrustedText text={label} />
          </span>
        ),
      )}
    </div>
  );
}
