// The input of a run: keys and values or JSON, recalled from a case or an earlier run, and saved as a case.
import { nameProblem } from '@svc/shared/resource';
import { BookmarkPlus, Plus, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../ui/button/Button.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { SegmentedControl } from '../../../ui/input/SegmentedControl.tsx';
import { Select } from '../../../ui/input/Select.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';
import type { Cases } from './cases.ts';
import { rowsFrom, rowsProblem, rowsText, type InputRow, type PastInput } from './run-input.ts';

const MODES = [
  { value: 'form', label: 'Form' },
  { value: 'json', label: 'JSON' },
] as const;

interface RowsProps {
  readonly rows: readonly InputRow[];
  readonly cases: Cases;
  readonly onChange: (rows: readonly InputRow[]) => void;
}

/** The value of an earlier run is a suggestion: selected at first, so that typing replaces it. */
function useSelectedAtFirst() {
  const done = useRef(false);
  return ({ target }: { readonly target: HTMLTextAreaElement }) => {
    if (!done.current) target.select();
    done.current = true;
  };
}

function Rows({ rows, cases, onChange }: RowsProps) {
  const selectAtFirst = useSelectedAtFirst();
  const set = (index: number, change: Partial<InputRow>) => onChange(rows.map((row, at) => (at === index ? { ...row, ...change } : row)));
  const problem = rowsProblem(rows);
  return (
    <div className="flex flex-col gap-2">
      {rows.map((row, index) => (
        <div key={index} className="flex items-start gap-1.5">
          <Input
            mono
            aria-label={`Key ${index + 1}`}
            placeholder="key"
            className="w-36 shrink-0"
            value={row.key}
            onChange={(event) => set(index, { key: event.target.value })}
          />
          <Textarea
            rows={1}
            // The form may come after its window.
            {...(index === 0 && { 'data-autofocus': true, autoFocus: true, onFocus: selectAtFirst })}
            aria-label={`Value of ${row.key || `key ${index + 1}`}`}
            className="min-h-control flex-1"
            value={row.value}
            onChange={(event) => set(index, { value: event.target.value })}
          />
          <IconButton
            label={`Remove ${row.key || `key ${index + 1}`}`}
            icon={<X />}
            onClick={() => onChange(rows.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      {problem !== undefined && (
        <p role="alert" className="text-sm text-danger">
          {problem}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button size="sm" icon={<Plus />} onClick={() => onChange([...rows, { key: '', value: '' }])}>
          Key
        </Button>
        <SaveCase cases={cases} rows={rows} />
      </div>
    </div>
  );
}

export interface Inputs {
  readonly rows: readonly InputRow[];
  readonly problem: string | undefined;
}

export interface RunInputProps {
  readonly past: readonly PastInput[];
  readonly cases: Cases;
  readonly inputs: Inputs;
  readonly onChange: (inputs: Inputs) => void;
}

/** Names the current input, so that it can be run again and compared. */
function SaveCase({ cases, rows }: { readonly cases: Cases; readonly rows: readonly InputRow[] }) {
  const [name, setName] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const open = name !== undefined;
  useEffect(() => {
    if (open) field.current?.focus();
  }, [open]);
  if (name === undefined)
    return (
      <Button size="sm" icon={<BookmarkPlus />} disabledReason={cases.cannotSave ?? rowsProblem(rows)} onClick={() => setName('')}>
        Save as a case
      </Button>
    );
  const wrong = name === '' ? undefined : nameProblem(name);
  const save = () => void cases.save(name, rows).then((saved) => saved && setName(undefined));
  return (
    <span className="flex min-w-0 flex-1 items-center gap-1.5">
      <Input
        ref={field}
        mono
        aria-label="Name of the case"
        placeholder="name of the case"
        aria-invalid={wrong !== undefined || undefined}
        value={name}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          if (name !== '' && wrong === undefined) save();
        }}
      />
      <Button size="sm" disabledReason={name === '' ? 'Name the case' : wrong} onClick={save}>
        Save
      </Button>
      <Button size="sm" variant="ghost" onClick={() => setName(undefined)}>
        Cancel
      </Button>
    </span>
  );
}

export function RunInput({ past, cases, inputs, onChange }: RunInputProps) {
  const [mode, setMode] = useState<'form' | 'json'>('form');
  const [json, setJson] = useState('');
  const turn = (next: 'form' | 'json') => {
    if (next === 'json') setJson(rowsText(inputs.rows));
    onChange({ ...inputs, problem: undefined });
    setMode(next);
  };
  const typed = (text: string) => {
    setJson(text);
    const read = rowsFrom(text);
    onChange('rows' in read ? { rows: read.rows, problem: undefined } : { ...inputs, problem: read.problem });
  };
  const recall = (task: string) => {
    const rows = [...cases.list, ...past].find((each) => each.task === task)?.rows;
    if (!rows) return;
    onChange({ rows, problem: undefined });
    setJson(rowsText(rows));
  };
  return (
    <fieldset className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <legend className="flex-1 text-sm font-medium">Input</legend>
        {past.length + cases.list.length > 0 && (
          <Select
            aria-label="Case, or input of an earlier run"
            className="w-52"
            value=""
            options={[
              { value: '', label: 'Case or earlier input…' },
              ...cases.list.map(({ task }) => ({ value: task, label: `Case ${task}` })),
              ...past.map(({ task }) => ({ value: task, label: task })),
            ]}
            onChange={recall}
          />
        )}
        <SegmentedControl label="Input format" value={mode} segments={MODES} onChange={turn} />
      </div>
      {mode === 'form' ? (
        <Rows rows={inputs.rows} cases={cases} onChange={(rows) => onChange({ rows, problem: undefined })} />
      ) : (
        <Field label="Input as JSON" error={inputs.problem}>
          <Textarea mono rows={6} value={json} onChange={(event) => typed(event.target.value)} />
        </Field>
      )}
    </fieldset>
  );
}
