// Remarks of a run's last attempt on the ends of its branches, such as a loop that max_turns ended.
import { useMemo } from 'react';
import type { RunTrace } from '../model/use-run-trace.ts';
import { EndNote } from './EndNote.tsx';

export function EndNotes({ trace: { store, version } }: { readonly trace: RunTrace }) {
  const notes = useMemo(() => {
    if (version < 0) return [];
    const attempt = store.entries.at(-1)?.attempt;
    const remarks = store.entries.flatMap((entry) =>
      entry.type === 'agent_end' && entry.attempt === attempt && entry.message !== undefined ? [`${entry.agent}: ${entry.message}`] : [],
    );
    return [...new Set(remarks)];
  }, [store, version]);
  return notes.map((note) => <EndNote key={note} note={note} />);
}
