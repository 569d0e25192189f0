// The card of a local agent, read from its public address as any client reads it.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { callRest } from '../../../live/rest.ts';
import { serverAddress } from '../../../ui/link/base-path.ts';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { QueryState } from '../../../ui/feedback/QueryState.tsx';
import { JsonTree } from '../../../ui/text/JsonTree.tsx';
import { SegmentedControl } from '../../../ui/input/SegmentedControl.tsx';
import { cardPath } from '../model/message.ts';
import type { LocalAgent } from '../model/registry.ts';

const FORMS = [
  { value: 'hybrid', label: 'All clients' },
  { value: 'strict', label: 'A2A 1.0 only' },
] as const;

export function ServedCard({ agent }: { readonly agent: LocalAgent }) {
  const [form, setForm] = useState<'hybrid' | 'strict'>('hybrid');
  const path = cardPath(agent);
  const query = useQuery({
    queryKey: ['a2a-card', path, form],
    queryFn: async ({ signal }) =>
      (await callRest(path, { signal, ...(form === 'strict' && { headers: { 'A2A-Version': '1.0' } }) })).body ?? null,
    staleTime: 0,
  });
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="flex-1 text-sm font-medium">Card as served</h3>
        <SegmentedControl label="Form of the card" value={form} segments={FORMS} onChange={setForm} />
        <CopyButton text={`${serverAddress()}${path}`} label="Copy the address of the card" />
      </div>
      <QueryState query={query} title="The card could not be read" skeleton="h-40" />
      {query.data !== undefined && <JsonTree label={`Card of ${agent.system}`} value={query.data} className="max-h-96" />}
    </div>
  );
}
