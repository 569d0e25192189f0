// A task, an attempt, a pause, a join or an event: the sentences and values of its entries.
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import type { DetailsProps } from './SpanInspector.tsx';
import { ValueView } from '../parts/ValueView.tsx';

export function PlainDetails({ span, trace }: DetailsProps) {
  const own = span.entries.flatMap((place) => trace.store.entries[place] ?? []);
  return own.map((entry, index) => (
    <section key={index} className="flex min-w-0 flex-col gap-3">
      {entry.message !== undefined && (
        <p className="text-sm text-muted">
          <UntrustedText text={entry.message} />
        </p>
      )}
      <ValueView title="Input" value={entry.input} truncated={entry.truncated} />
      <ValueView title="Output" value={entry.output} truncated={entry.truncated} />
    </section>
  ));
}
