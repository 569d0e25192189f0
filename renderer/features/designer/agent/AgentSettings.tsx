// Settings of an agent beside its model, prompt and tools: roles, memory, limits and the way it runs.
import { isObject } from '@svc/shared/json';
import { specOf } from '../../../kinds/read.ts';
import { findNames } from '../../../editor/live-names.ts';
import { useFieldErrors } from '../../../editor/use-field-errors.ts';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { parseRef } from '@svc/shared/resource';
import { Checkbox } from '../../../ui/input/Checkbox.tsx';
import { Chip } from '../../../ui/status/Chip.tsx';
import { Combobox } from '../../../ui/input/Combobox.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { specOfDraft, type DraftObject } from '../document/drafts.ts';
import type { Draftable } from './use-draftable.ts';
import { ExecutionFields } from './ExecutionFields.tsx';

export interface AgentSettingsProps {
  readonly agent: DraftObject;
  readonly draftable: Draftable;
  readonly readOnly: boolean;
}

/** Access of the fields to the draft. */
export interface SettingsFields {
  readonly agent: DraftObject;
  readonly readOnly: boolean;
  /** A value as it is written, even where it is not valid yet. */
  readonly textAt: (group: string, field: string) => string;
  readonly errorAt: (path: string) => string | undefined;
  /** Sets a field below `spec`, or removes it. */
  readonly set: (path: readonly string[], value: unknown) => void;
}

const OPERATIONS = [
  ['read', 'Read entries'],
  ['write', 'Write entries'],
  ['search', 'Search'],
  ['list', 'List keys'],
  ['ingest', 'Ingest texts'],
] as const;

function namesOf(kind: string, namespace: string) {
  return async (query: string, signal: AbortSignal) => {
    const found = await findNames(kind, query, { namespace, signal });
    return found.map((each) => ({ value: each.namespace === namespace ? each.name : `${each.namespace}/${each.name}` }));
  };
}

function Roles({ of: { agent, readOnly, set } }: { readonly of: SettingsFields }) {
  const { roles = [] } = specOf('Agent', { spec: specOfDraft(agent) });
  const offered = namesOf('AgentRole', agent.namespace);
  const keep = (next: readonly string[]) => set(['roles'], next.length === 0 ? undefined : next);
  return (
    <div className="flex flex-col gap-1.5">
      {!readOnly && (
        <Field label="Roles" hint="Their permissions are those of the agent.">
          <Combobox
            mono
            value=""
            placeholder="Add a role"
            options={async (query, signal) => (await offered(query, signal)).filter(({ value }) => !roles.includes(value))}
            onChange={(role) => (role === '' || roles.includes(role) ? undefined : keep([...roles, role]))}
          />
        </Field>
      )}
      {readOnly && <h3 className="text-sm font-medium">Roles</h3>}
      {roles.length > 0 ? (
        <ul aria-label="Roles of the agent" className="flex flex-wrap gap-1">
          {roles.map((role) => (
            <li key={role} className="max-w-full">
              <Chip
                mono
                removeLabel={`Remove role ${role}`}
                onRemove={readOnly ? undefined : () => keep(roles.filter((each) => each !== role))}
              >
                <PeekLink look="quiet" object={{ kind: 'AgentRole', ...parseRef(role, agent.namespace) }}>
                  {role}
                </PeekLink>
              </Chip>
            </li>
          ))}
        </ul>
      ) : (
        readOnly && <p className="text-sm text-muted">None.</p>
      )}
    </div>
  );
}

function MemoryFields({ of: { agent, readOnly, textAt, errorAt, set } }: { readonly of: SettingsFields }) {
  const { memory } = specOf('Agent', { spec: specOfDraft(agent) });
  const allow = memory?.allow ?? [];
  const ref = textAt('memory', 'ref');
  const attach = (name: string) => {
    if (name.trim() === '') set(['memory'], undefined);
    else if (ref === '') set(['memory'], { ...memory, ref: name.trim(), allow: allow.length > 0 ? allow : ['read', 'search'] });
    else set(['memory', 'ref'], name.trim());
  };
  const toggle = (operation: string, on: boolean) => {
    const next = OPERATIONS.map(([each]) => each).filter((each) => (each === operation ? on : allow.includes(each)));
    set(['memory', 'allow'], next.length === 0 ? undefined : next);
  };
  return (
    <div className="flex flex-col gap-1.5">
      <Field label="Memory" error={errorAt('spec.memory.ref')}>
        <Combobox
          mono
          allowCustom
          value={ref}
          disabled={readOnly}
          placeholder="None"
          options={namesOf('Memory', agent.namespace)}
          onChange={attach}
        />
      </Field>
      {ref !== '' && (
        <fieldset className="flex flex-wrap gap-x-4 gap-y-1">
          <legend className="mb-1 text-sm text-muted">The agent may</legend>
          {OPERATIONS.map(([operation, words]) => (
            <Checkbox
              key={operation}
              checked={allow.includes(operation)}
              disabled={readOnly}
              label={words}
              onChange={(on) => toggle(operation, on)}
            />
          ))}
        </fieldset>
      )}
    </div>
  );
}

function Limits({ of: { readOnly, textAt, errorAt, set } }: { readonly of: SettingsFields }) {
  const steps = (text: string): unknown => {
    if (text.trim() === '') return undefined;
    return /^\d{1,9}$/.test(text.trim()) ? Number(text) : text;
  };
  return (
    <div className="grid grid-cols-2 items-start gap-3">
      <Field label="Model steps at most" error={errorAt('spec.limits.max_steps')}>
        <Input
          mono
          inputMode="numeric"
          placeholder="10"
          readOnly={readOnly}
          value={textAt('limits', 'max_steps')}
          onChange={(event) => set(['limits', 'max_steps'], steps(event.target.value))}
        />
      </Field>
      <Field label="Time of a turn" error={errorAt('spec.limits.timeout')}>
        <Input
          mono
          placeholder="No limit; 90s, 5m"
          readOnly={readOnly}
          value={textAt('limits', 'timeout')}
          onChange={(event) => set(['limits', 'timeout'], event.target.value === '' ? undefined : event.target.value)}
        />
      </Field>
    </div>
  );
}

export function AgentSettings({ agent, draftable, readOnly }: AgentSettingsProps) {
  const errors = useFieldErrors(agent.text, agent);
  const spec = specOfDraft(agent);
  const of: SettingsFields = {
    agent,
    readOnly,
    textAt: (group, field) => {
      const value = isObject(spec[group]) ? spec[group][field] : undefined;
      return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    },
    errorAt: (path) => errors.get(path),
    set: (path, value) =>
      draftable.set(['spec', ...path], value, {
        label: `Set ${path.join('.')} of ${agent.name}`,
        group: `${path.join('.')} ${agent.name}`,
      }),
  };
  return (
    <section aria-label="Settings" className="flex flex-col gap-4">
      <Roles of={of} />
      <MemoryFields of={of} />
      <Limits of={of} />
      <ExecutionFields of={of} />
    </section>
  );
}
