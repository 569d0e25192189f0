// Remarks of a run's last attempt on the ends of its branches, such as a loop that max_turns ended.
import { TriangleAlert } from 'lucide-react';
import { useMemo } from 'react';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import type { RunTrace } from '../model/use-run-trace.ts';

export function EndNotes({ trace: { store, version } }: { readonly trace: RunTrace }) {
  const notes = useMemo(() => {
    if (version < 0) return [];
    const attempt = store.entries.at(-1)?.attempt;
    const remarks = store.entries.flatMap((entry) =>
      entry.type === 'agent_end' && entry.attempt === attempt && entry.message !== undefined ? [`${entry.agent}: ${entry.message}`] : [],
    );
    return [...new Set(remarks)];
  }, [store, version]);
  return notes.map((note) => (
    <p key={note} className="mb-1.5 flex items-center gap-1.5 text-sm text-warn">
      <TriangleAlert aria-hidden className="size-3.5 shrink-0" />
      <UntrustedText text={note} />
    </p>
  ));
}
