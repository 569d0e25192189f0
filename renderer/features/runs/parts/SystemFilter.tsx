// The filter of a list by the agent system that its objects name.
import { client } from '../../../live/api.ts';
import { Combobox, type ComboboxOption } from '../../../ui/input/Combobox.tsx';

export interface SystemFilterProps {
  /** Reference as the objects write it; empty: any system. */
  readonly value: string;
  readonly namespace: string | undefined;
  readonly onChange: (system: string) => void;
}

export function SystemFilter({ value, namespace, onChange }: SystemFilterProps) {
  return (
    <Combobox
      aria-label="System"
      placeholder="Any system"
      className="w-48"
      allowCustom
      value={value}
      onChange={(system) => onChange(system.trim())}
      options={(text, signal) => systemsNamed(text, namespace, signal)}
    />
  );
}

const OFFERED = 20;

async function systemsNamed(text: string, namespace: string | undefined, signal: AbortSignal): Promise<readonly ComboboxOption[]> {
  const hits = await client.resources.search.query(
    { text: `AgentSystem:${text.trim()}`, limit: OFFERED, ...(namespace !== undefined && { namespace }) },
    { signal },
  );
  // Name as objects of the same namespace write it.
  const names = [...new Set(hits.map(({ name }) => name))];
  // Enter chooses the first one, which is not to clear the filter when a name was typed.
  const any = text.trim() === '' ? [{ value: '', label: 'Any system' }] : [];
  return [...any, ...names.map((value) => ({ value }))];
}
