// Execution profile of an agent: whether the model chooses its tools or has to call some, and what follows a call.
import { specOf } from '../../../kinds/read.ts';
import { Checkbox } from '../../../ui/input/Checkbox.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Select } from '../../../ui/input/Select.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';
import { specOfDraft } from '../document/drafts.ts';
import type { SettingsFields } from './AgentSettings.tsx';

interface Choice {
  readonly field: string;
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

const PROFILE: Choice = {
  field: 'profile',
  label: 'Execution',
  options: [
    { value: 'dynamic', label: 'Dynamic: the model chooses its tools' },
    { value: 'contract', label: 'Contract: some tools must run' },
  ],
};
const AFTER: Choice = {
  field: 'tool_use_behavior',
  label: 'After a tool call',
  options: [
    { value: 'run_llm_again', label: 'Ask the model again' },
    { value: 'stop_on_first_tool', label: 'The output of the tool is the answer' },
  ],
};
const DUPLICATES: Choice = {
  field: 'duplicate_tool_call_policy',
  label: 'The same call again',
  options: [
    { value: 'short_circuit', label: 'Gets the recorded result' },
    { value: 'deny', label: 'Gets an error' },
  ],
};
const VIOLATION: Choice = {
  field: 'on_contract_violation',
  label: 'A broken contract',
  options: [
    { value: 'non_retryable_error', label: 'Ends the run' },
    { value: 'observe', label: 'Is recorded; the run continues' },
  ],
};

interface FieldsProps {
  readonly of: SettingsFields;
}

function ChoiceField({ of: { readOnly, textAt, errorAt, set }, choice }: FieldsProps & { readonly choice: Choice }) {
  const { field, label, options } = choice;
  const value = textAt('execution', field);
  const known = value === '' || options.some((each) => each.value === value);
  return (
    <Field label={label} error={errorAt(`spec.execution.${field}`)}>
      <Select
        disabled={readOnly}
        value={value === '' ? (options[0]?.value ?? '') : value}
        options={known ? options : [...options, { value, label: value }]}
        onChange={(next) => set(['execution', field], next)}
      />
    </Field>
  );
}

/** Tools are selected in the order of the contract; other names in it are kept. */
function Contract({ of }: FieldsProps) {
  const { agent, readOnly, errorAt, set } = of;
  const { tools = [], allowed_tools: allowed = [], execution } = specOf('Agent', { spec: specOfDraft(agent) });
  const sequence = execution?.tool_sequence ?? [];
  const offered = [...new Set([...tools, ...allowed, ...sequence])];
  const error = errorAt('spec.execution.tool_sequence');
  const keep = (next: readonly string[]) => set(['execution', 'tool_sequence'], next.length === 0 ? undefined : next);
  return (
    <>
      <fieldset className="flex flex-col gap-1">
        <legend className="mb-1 text-sm font-medium">Tools that must run</legend>
        {offered.length === 0 && <p className="text-sm text-muted">The agent has no tools yet.</p>}
        {offered.map((tool) => (
          <Checkbox
            key={tool}
            checked={sequence.includes(tool)}
            disabled={readOnly}
            label={<span className="font-mono text-sm">{tool}</span>}
            onChange={(on) => keep(on ? [...sequence, tool] : sequence.filter((each) => each !== tool))}
          />
        ))}
        {error !== undefined && (
          <p role="alert" className="text-sm text-danger">
            {error}
          </p>
        )}
      </fieldset>
      <Field label="Texts of the output" hint="One a line; best effort.">
        <Textarea
          rows={2}
          readOnly={readOnly}
          value={(execution?.required_output_markers ?? []).join('\n')}
          onChange={(event) =>
            set(['execution', 'required_output_markers'], event.target.value === '' ? undefined : event.target.value.split('\n'))
          }
        />
      </Field>
      <ChoiceField of={of} choice={VIOLATION} />
    </>
  );
}

export function ExecutionFields({ of }: FieldsProps) {
  return (
    <>
      <ChoiceField of={of} choice={PROFILE} />
      {of.textAt('execution', 'profile') === 'contract' && <Contract of={of} />}
      <div className="grid grid-cols-2 items-start gap-3">
        <ChoiceField of={of} choice={AFTER} />
        <ChoiceField of={of} choice={DUPLICATES} />
      </div>
    </>
  );
}
