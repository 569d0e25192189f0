// Variants of a new experiment: the current definitions, an earlier version, an edited prompt or another model.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { Plus, Trash2 } from 'lucide-react';
import { parseRef } from '@svc/shared/resource';
import { specOf } from '../../../kinds/read.ts';
import { api } from '../../../live/api.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { Section } from '../../../ui/layout/Section.tsx';
import { Select } from '../../../ui/input/Select.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';
import { nextId, type Change, type Draft, type VariantRow } from '../model/draft.ts';

const LISTED_MAX = 200;
const VERSIONS_MAX = 100;

export interface VariantsFieldProps {
  readonly namespace: string;
  readonly draft: Draft;
  /** Agents of the system. */
  readonly agents: readonly string[];
  readonly problems: ReadonlyMap<string, string>;
  readonly onChange: (variants: readonly VariantRow[]) => void;
}

const CHANGE_LABELS: Readonly<Record<Change, string>> = {
  today: 'Current definitions',
  version: 'Earlier version',
  prompt: 'Edited prompt',
  model: 'Other model',
  given: 'From the designer',
};

export function VariantsField({ namespace, draft, agents, problems, onChange }: VariantsFieldProps) {
  const { variants } = draft;
  const change = (id: number, part: Partial<VariantRow>) => onChange(variants.map((row) => (row.id === id ? { ...row, ...part } : row)));
  const add = () => {
    const id = nextId(variants);
    onChange([...variants, { id, name: `variant-${id}`, change: 'version', agent: agents[0] ?? '', generation: 0, text: '' }]);
  };
  return (
    <Section
      title="Variants"
      description="Definitions that the cases are run with: the columns of the table. Rights and policies are the current ones."
      actions={
        <Button icon={<Plus />} onClick={add}>
          Add a variant
        </Button>
      }
    >
      <ul aria-label="Variants" className="flex flex-col gap-3">
        {variants.map((row) => (
          <li key={row.id} className="grid grid-cols-[14rem_minmax(0,1fr)_auto] items-start gap-3 max-sm:grid-cols-1">
            <Field label="Name" error={problems.get(`variant-${row.id}`)}>
              <Input value={row.name} onChange={(event) => change(row.id, { name: event.target.value })} />
            </Field>
            <ChangeFields
              {...{ namespace, row, agents, system: draft.system, problem: problems.get(`change-${row.id}`) }}
              onChange={(part) => change(row.id, part)}
            />
            <IconButton
              className="mt-6"
              label={`Remove ${row.name || 'the variant'}`}
              icon={<Trash2 />}
              disabledReason={variants.length === 1 ? 'An experiment has at least one variant' : undefined}
              onClick={() => onChange(variants.filter(({ id }) => id !== row.id))}
            />
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface ChangeProps {
  readonly namespace: string;
  readonly system: string;
  readonly row: VariantRow;
  readonly agents: readonly string[];
  readonly problem?: string | undefined;
  readonly onChange: (part: Partial<VariantRow>) => void;
}

function ChangeFields(props: ChangeProps) {
  const { row, agents, system, problem, onChange } = props;
  const targets = [
    ...agents.map((name) => ({ value: name, label: name })),
    ...(row.change === 'version' ? [{ value: '', label: `${system} (system)` }] : []),
  ];
  return (
    <div className="flex min-w-0 flex-wrap gap-3">
      <Field label="Runs" className="w-48">
        <Select
          value={row.change}
          options={Object.entries(CHANGE_LABELS)
            .filter(([value]) => value !== 'given' || row.given !== undefined)
            .map(([value, label]) => ({ value, label }))}
          onChange={(change) => onChange({ change: change as Change, agent: row.agent || (agents[0] ?? ''), generation: 0, text: '' })}
        />
      </Field>
      {row.change === 'given' && row.given && <p className="min-w-0 flex-1 self-end pb-1.5 text-muted">{row.given.words}</p>}
      {row.change !== 'today' && row.change !== 'given' && (
        <Field label={row.change === 'version' ? 'Of' : 'Agent'} className="w-48" error={problem}>
          <Select value={row.agent} options={targets} onChange={(agent) => onChange({ agent, generation: 0, text: '' })} />
        </Field>
      )}
      {row.change === 'version' && <VersionSelect {...props} />}
      {row.change === 'model' && <ModelSelect {...props} />}
      {row.change === 'prompt' && row.agent !== '' && <PromptField key={row.agent} {...props} />}
    </div>
  );
}

function VersionSelect({ namespace, system, row, onChange }: ChangeProps) {
  const object = row.agent === '' ? { kind: 'AgentSystem', namespace, name: system } : { kind: 'Agent', ...parseRef(row.agent, namespace) };
  const { data } = useQuery(api.resources.versions.queryOptions({ ...object, limit: VERSIONS_MAX }));
  const options = (data?.items ?? []).map(({ generation, replacedAt, createdBy }) => ({
    value: String(generation),
    label: `${generation}${replacedAt === undefined ? ', current' : ''}${createdBy === undefined ? '' : `, by ${createdBy}`}`,
  }));
  return (
    <Field label="Version" className="w-56">
      <Select
        value={String(row.generation)}
        options={[{ value: '0', label: 'Choose a version', disabled: true }, ...options]}
        onChange={(generation) => onChange({ generation: Number(generation) })}
      />
    </Field>
  );
}

function ModelSelect({ namespace, row, onChange }: ChangeProps) {
  const { data } = useQuery(api.resources.list.queryOptions({ kind: 'ModelEndpoint', namespace, order: 'name', limit: LISTED_MAX }));
  const options = (data?.items ?? []).map(({ metadata: { name } }) => ({ value: name, label: name }));
  return (
    <Field label="Model" className="w-56">
      <Select
        value={row.text}
        options={[{ value: '', label: 'Choose a model', disabled: true }, ...options]}
        onChange={(text) => onChange({ text })}
      />
    </Field>
  );
}

function PromptField({ namespace, row, onChange }: ChangeProps) {
  const { data } = useQuery(api.resources.get.queryOptions({ kind: 'Agent', ...parseRef(row.agent, namespace) }));
  const today = data && specOf('Agent', data).prompt;
  // An edit begins with the current prompt; a person who then clears the field keeps it empty.
  const begun = useRef(row.text !== '');
  const begin = useEffectEvent((text: string) => {
    if (!begun.current && row.text === '') onChange({ text });
    begun.current = true;
  });
  useEffect(() => {
    if (today !== undefined) begin(today);
  }, [today]);
  return (
    <Field
      label="Prompt"
      className="w-full"
      aside={
        <Button variant="link" size="sm" disabled={today === undefined} onClick={() => onChange({ text: today ?? '' })}>
          Insert the current prompt
        </Button>
      }
    >
      <Textarea rows={4} value={row.text} onChange={(event) => onChange({ text: event.target.value })} />
    </Field>
  );
}
