// Inputs that a batch would approve: each different input in full, with the runs that request it.
import { EyeOff } from 'lucide-react';
import { Badge } from '../../../ui/status/Badge.tsx';
import { excerptOf } from '../../../ui/text/large-text.ts';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { BATCH_INPUT_MAX_CHARS, type BatchInput } from './batch.ts';

export function BatchInputs({ inputs }: { readonly inputs: readonly BatchInput[] }) {
  return (
    <div
      tabIndex={0}
      role="region"
      aria-label="Inputs"
      className="max-h-[min(24rem,45dvh)] overflow-y-auto rounded-md border border-border bg-sunken focus-visible:-outline-offset-2"
    >
      <ol className="divide-y divide-border">
        {inputs.map((input) => (
          <li key={input.items[0]?.approval.uid} className="px-3 py-2 [contain-intrinsic-size:auto_96px] [content-visibility:auto]">
            <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
              <span className="min-w-0">
                <UntrustedText text={askersOf(input)} />
              </span>
              {input.hidden > 0 && (
                <Badge tone="warn" icon={<EyeOff />}>
                  {input.hidden === 1 ? '1 hidden character' : `${input.hidden} hidden characters`}
                </Badge>
              )}
            </p>
            {input.text === '' ? <p className="text-muted">No input.</p> : <Shown input={input} />}
            {input.problem !== undefined && (
              <p className="mt-1 text-sm text-danger">
                <UntrustedText text={input.problem} />
              </p>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

function Shown({ input: { text } }: { readonly input: BatchInput }) {
  const excerpt = excerptOf(text, BATCH_INPUT_MAX_CHARS * 2);
  return (
    <>
      <UntrustedText block mono text={excerpt.text} className="mt-1 text-text" />
      {excerpt.omitted > 0 && <span className="text-sm text-warn">… and {excerpt.omitted} characters more.</span>}
    </>
  );
}

const NAMED_MAX = 6;

function askersOf({ items }: BatchInput): string {
  const names = items.slice(0, NAMED_MAX).map(({ approval: { agent, task } }) => `${agent === '' ? 'an agent' : agent} in ${task.name}`);
  const more = items.length - names.length;
  const all = names.join(', ') + (more > 0 ? ` and ${more} more` : '');
  return items.length === 1 ? all : `${items.length} times: ${all}`;
}
