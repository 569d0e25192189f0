// Subject of the check: caller, tool, and run.
import { OPERATION_CLASSES } from './parts/operations.ts';
import { MEMORY_OPERATIONS, memoryToolName } from '@svc/shared/kinds/tool/built-in';
import { useMemo } from 'react';
import { Button } from '../../ui/button/Button.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { Combobox, type ComboboxOption } from '../../ui/input/Combobox.tsx';
import { Field } from '../../ui/input/Field.tsx';
import { Input } from '../../ui/input/Input.tsx';
import { Select } from '../../ui/input/Select.tsx';
import type { CheckState } from './check.ts';
import { client } from '../../live/api.ts';

export interface CheckFormProps {
  readonly state: CheckState;
  readonly namespace: string;
  readonly onChange: (change: Partial<CheckState>) => void;
}

const NAMES = [
  { key: 'agent', kind: 'Agent', label: 'Agent', hint: 'The caller.', required: true },
  { key: 'tool', kind: 'Tool', label: 'Tool', hint: 'The tool to call.', required: true },
  { key: 'system', kind: 'AgentSystem', label: 'System', hint: 'Includes policies of this system.', required: false },
  { key: 'task', kind: 'Task', label: 'Run', hint: 'Includes policies of this run.', required: false },
] as const;

const EMPTY: CheckState = { agent: '', tool: '', operation: '', system: '', task: '', model: '' };

export function CheckForm({ state, namespace, onChange }: CheckFormProps) {
  const offers = useMemo(() => new Map(NAMES.map(({ key, kind }) => [key, offerNames(kind, namespace)])), [namespace]);
  return (
    <Card
      title="The call"
      description={`Namespace ${namespace}. A simulation calls and writes nothing.`}
      actions={
        <Button size="sm" onClick={() => onChange(EMPTY)}>
          Clear
        </Button>
      }
      className="overflow-visible"
    >
      <div className="grid gap-4 sm:grid-cols-2">
        {NAMES.map(({ key, label, hint, required }) => (
          <Field key={key} label={label} hint={hint} required={required}>
            <Combobox
              mono
              allowCustom
              value={state[key]}
              options={offers.get(key) ?? []}
              onChange={(value) => onChange({ [key]: value })}
            />
          </Field>
        ))}
        <Field label="Operation" hint="Default: the tool’s riskiest operation.">
          <Select
            value={state.operation}
            options={[{ value: '', label: 'Tool default' }, ...OPERATION_CLASSES.map((value) => ({ value, label: value }))]}
            onChange={(operation) => onChange({ operation })}
          />
        </Field>
        <Field label="Model" hint="Overrides the agent’s model.">
          <Input mono value={state.model} onChange={(event) => onChange({ model: event.target.value })} />
        </Field>
      </div>
    </Card>
  );
}

const READ_MAX = 500;

/** Names to offer for a field: the first of the kind in a namespace that contain the typed text, requested from the server. */
function offerNames(kind: string, namespace: string) {
  return async (query: string, signal: AbortSignal): Promise<readonly ComboboxOption[]> => {
    const order = kind === 'Task' ? ('-createdAt' as const) : ('name' as const);
    const { items } = await client.resources.list.query({ kind, namespace, order, limit: READ_MAX }, { signal });
    const wanted = query.trim().toLowerCase();
    const builtIn = kind === 'Tool' ? MEMORY_OPERATIONS.map(memoryToolName) : [];
    return [...items.map(({ metadata: { name } }) => name), ...builtIn]
      .filter((name) => name.toLowerCase().includes(wanted))
      .map((value) => ({ value }));
  };
}
