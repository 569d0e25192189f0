// Chooses a run by a prefix of its name.
import { stateOf } from '../../../kinds/StatePill.tsx';
import { client } from '../../../live/api.ts';
import { Combobox, type ComboboxOption } from '../../../ui/input/Combobox.tsx';
import { phaseLook } from '../../../ui/status/phases.ts';

export interface RunPickerProps {
  readonly label: string;
  /** `namespace/name`. */
  readonly value: string;
  readonly namespace: string;
  /** Excluded from the offers. */
  readonly except?: string | undefined;
  readonly onChange: (key: string) => void;
  readonly className?: string;
}

const OFFERED = 20;

async function runsNamed(text: string, namespace: string, signal: AbortSignal): Promise<readonly ComboboxOption[]> {
  const hits = await client.resources.search.query({ text: `Task:${text.trim()}`, namespace, limit: OFFERED }, { signal });
  return hits.map((hit) => ({ value: `${hit.namespace}/${hit.name}`, label: hit.name, hint: phaseLook(stateOf('Task', hit)).label }));
}

export function RunPicker({ label, value, namespace, except, onChange, className }: RunPickerProps) {
  return (
    <Combobox
      aria-label={label}
      placeholder="Name of a run"
      value={value}
      onChange={onChange}
      options={async (text, signal) => (await runsNamed(text, namespace, signal)).filter(({ value: key }) => key !== except)}
      {...(className !== undefined && { className })}
    />
  );
}
