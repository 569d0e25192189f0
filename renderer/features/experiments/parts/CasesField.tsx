// Cases of a new experiment: saved inputs of the system, and typed ones.
import { useQuery } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import type { Resource } from '@svc/shared/resource';
import { specOf } from '../../../kinds/read.ts';
import { api } from '../../../live/api.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { Section } from '../../../ui/layout/Section.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';
import { CASE_LABEL } from '../../runs/model/case-label.ts';
import { nextId, type CaseRow, type Draft } from '../model/draft.ts';

const SAVED_MAX = 200;

export interface CasesFieldProps {
  readonly namespace: string;
  readonly draft: Draft;
  readonly problems: ReadonlyMap<string, string>;
  readonly onChange: (cases: readonly CaseRow[]) => void;
}

/** Saved inputs of the system that the form does not have yet. */
function useSaved(namespace: string, { system, cases }: Draft): readonly Omit<CaseRow, 'id'>[] {
  const { data } = useQuery({
    ...api.resources.list.queryOptions({
      ...{ kind: 'Task', namespace, labelSelector: `${CASE_LABEL}=true`, fieldSelector: `spec.system=${system}` },
      ...{ order: 'name', limit: SAVED_MAX },
    }),
    enabled: system !== '',
  });
  const there = new Set(cases.map(({ name }) => name));
  return (data?.items ?? []).flatMap((task) => {
    const { name } = task.metadata;
    return there.has(name) ? [] : [{ name, text: inputText(task) }];
  });
}

export const inputText = (task: Resource): string => JSON.stringify(specOf('Task', task).input, null, 2);

/** Text of a first case: the input of the newest run shows what the system reads. */
function useExample(namespace: string, { system }: Draft): string {
  const { data } = useQuery({
    ...api.resources.list.queryOptions({
      ...{ kind: 'Task', namespace, fieldSelector: `spec.system=${system}` },
      ...{ order: '-createdAt', limit: 1 },
    }),
    enabled: system !== '',
  });
  const [newest] = data?.items ?? [];
  return newest ? inputText(newest) : '{"message": ""}';
}

export function CasesField({ namespace, draft, problems, onChange }: CasesFieldProps) {
  const { cases } = draft;
  const saved = useSaved(namespace, draft);
  const example = useExample(namespace, draft);
  const add = (rows: readonly Omit<CaseRow, 'id'>[]) => {
    const first = nextId(cases);
    onChange([...cases, ...rows.map((row, index) => ({ id: first + index, ...row }))]);
  };
  const change = (id: number, part: Partial<CaseRow>) => onChange(cases.map((row) => (row.id === id ? { ...row, ...part } : row)));
  return (
    <Section
      title="Cases"
      description="Inputs that each variant is run with: the rows of the table."
      actions={
        <>
          {saved.length > 0 && (
            <Button onClick={() => add(saved)}>
              Add {saved.length} saved {saved.length === 1 ? 'input' : 'inputs'}
            </Button>
          )}
          <Button icon={<Plus />} onClick={() => add([{ name: `case-${nextId(cases)}`, text: cases.at(-1)?.text ?? example }])}>
            Add a case
          </Button>
        </>
      }
    >
      {problems.has('cases') && <p className="text-sm text-danger">{problems.get('cases')}.</p>}
      <ul aria-label="Cases" className="flex flex-col gap-2">
        {cases.map(({ id, name, text }) => (
          <li key={id} className="grid grid-cols-[14rem_minmax(0,1fr)_auto] items-start gap-3 max-sm:grid-cols-1">
            <Field label="Name" error={problems.get(`case-${id}`)}>
              <Input value={name} onChange={(event) => change(id, { name: event.target.value })} />
            </Field>
            <Field label="Input" error={problems.get(`case-text-${id}`)}>
              <Textarea mono rows={2} value={text} onChange={(event) => change(id, { text: event.target.value })} />
            </Field>
            <IconButton
              className="mt-6"
              label={`Remove ${name || 'the case'}`}
              icon={<Trash2 />}
              onClick={() => onChange(cases.filter((row) => row.id !== id))}
            />
          </li>
        ))}
      </ul>
    </Section>
  );
}
