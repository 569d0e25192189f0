// Chooses a run by a prefix of its name. It shows the namespace of other namespaces only: a phone has room for no more than the name.
import { parseRef } from '@svc/shared/resource';
import { useScope } from '../../../navigation/scope.ts';
import { stateOf } from '../../../kinds/StatePill.tsx';
import { client } from '../../../live/api.ts';
import { Combobox } from '../../../ui/input/Combobox.tsx';
import { phaseLook } from '../../../ui/status/phases.ts';

export interface RunPickerProps {
  readonly label: string;
  /** `namespace/name`. */
  readonly value: string;
  readonly namespace: string;
  /** Excluded from the offers. */
  readonly except?: string | undefined;
  readonly onChange: (key: string) => void;
}

const OFFERED = 20;

/** The name alone in the namespace of the page. */
function shownKey(key: string, home: string): string {
  const { namespace, name } = parseRef(key, home);
  return namespace === home ? name : key;
}

async function runsNamed(text: string, namespace: string, signal: AbortSignal) {
  const hits = await client.resources.search.query({ text: `Task:${text.trim()}`, namespace, limit: OFFERED }, { signal });
  return hits.map((hit) => ({ key: `${hit.namespace}/${hit.name}`, label: hit.name, hint: phaseLook(stateOf('Task', hit)).label }));
}

export function RunPicker({ label, value, namespace, except, onChange }: RunPickerProps) {
  const { home } = useScope();
  const wholeKey = (shown: string) => {
    const ref = parseRef(shown, home);
    return ref.name === '' ? '' : `${ref.namespace}/${ref.name}`;
  };
  return (
    <Combobox
      aria-label={label}
      placeholder="Name of a run"
      value={shownKey(value, home)}
      onChange={(shown) => onChange(wholeKey(shown))}
      options={async (text, signal) =>
        (await runsNamed(text, namespace, signal))
          .filter(({ key }) => key !== except)
          .map(({ key, ...option }) => ({ ...option, value: shownKey(key, home) }))
      }
    />
  );
}
