// Composition of the input of a model call: one bar, and each part with its share in words.
import { cn } from '../../../ui/cn.ts';
import { formatNumber } from '../../../ui/status/format.ts';
import { FILL, type Tone } from '../../../ui/status/tone.ts';
import type { ContextPart, PartName } from './context-parts.ts';

const LOOK: Readonly<Record<PartName, { readonly label: string; readonly tone: Tone }>> = {
  system: { label: 'System prompt', tone: 'accent' },
  tools: { label: 'Tools', tone: 'warn' },
  input: { label: 'Input and hand-overs', tone: 'info' },
  history: { label: 'This turn so far', tone: 'ok' },
};

export interface ContextBarProps {
  readonly parts: readonly ContextPart[];
  /** Token count of the whole; undefined while there is no answer. */
  readonly inputTokens: number | undefined;
  /** Part of the input is truncated in the trace. */
  readonly cut: boolean;
}

export function ContextBar({ parts, inputTokens, cut }: ContextBarProps) {
  if (parts.length === 0) return null;
  const filled = parts.filter(({ chars }) => chars > 0);
  return (
    <section aria-label="Context" className="min-w-0">
      <h3 className="mb-1.5 text-sm font-medium text-muted">What filled the context</h3>
      <div aria-hidden className="flex h-2.5 gap-px overflow-hidden rounded-full bg-sunken">
        {filled.map(({ name, share }) => (
          <div
            key={name}
            className={cn('min-w-0.5 forced-colors:border forced-colors:border-[CanvasText]', FILL[LOOK[name].tone])}
            style={{ flexGrow: share, flexBasis: 0 }}
          />
        ))}
      </div>
      <ul className="mt-2 flex flex-col gap-1 text-sm">
        {parts.map(({ name, share }) => (
          <li key={name} className="flex min-w-0 items-center gap-2">
            <span aria-hidden className={cn('size-2.5 shrink-0 rounded-sm', FILL[LOOK[name].tone])} />
            <span className="min-w-0 flex-1 truncate">{LOOK[name].label}</span>
            <span className="text-muted tabular-nums">
              {inputTokens !== undefined && `≈ ${formatNumber(Math.round(share * inputTokens))} tokens, `}
              {Math.round(share * 100)} %
            </span>
          </li>
        ))}
      </ul>
      <p className="mt-1.5 text-xs text-pretty text-faint">
        Shares are estimated by length of text{inputTokens !== undefined && '; the sum is the recorded count'}. The size of the model’s
        context window is not recorded.
        {cut && ' Texts truncated in the trace count with their recorded part.'}
      </p>
    </section>
  );
}
