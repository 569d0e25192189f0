// Runs an ended task again with another input, in another namespace or with another version of its system.
import { targetOf } from '@svc/shared/kinds/task/retry-target';
import { Plus, RotateCcw, Trash2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { useAddedPart } from '../../../form/use-added-part.ts';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { changesOf, inputOf, problemsOf, rowsOf, type InputRow } from './input-rows.ts';
import type { Run } from '../model/run.ts';
import { notStartedText } from '../model/not-started-text.ts';
import { RetryTargetFields, useTargetSystem } from './RetryTargetFields.tsx';
import type { Retry } from './use-retry.ts';
import { beginningOf } from '../../../ui/text/whole-characters.ts';

export interface RetryDialogProps {
  readonly run: Run;
  readonly retry: Retry;
  readonly onClose: () => void;
}

function useInputRows(before: Run['spec']['input']) {
  const [rows, setRows] = useState(() => rowsOf(before));
  const { frame, announce } = useAddedPart();
  const change = (id: number, fields: Partial<InputRow>) => setRows(rows.map((row) => (row.id === id ? { ...row, ...fields } : row)));
  const add = () => {
    const id = Math.max(0, ...rows.map((row) => row.id)) + 1;
    announce(id);
    setRows([...rows, { id, key: '', value: '' }]);
  };
  return { rows, setRows, change, add, frame, problems: problemsOf(rows), changes: changesOf(before, inputOf(rows)) };
}

export function RetryDialog({ run, retry, onClose }: RetryDialogProps) {
  const { reason: writeBlock } = useCanWrite();
  const before = run.spec.input;
  const { rows, setRows, change, add, frame, problems, changes } = useInputRows(before);
  const own = targetOf({ namespace: run.metadata.namespace, spec: run.spec });
  const [target, setTarget] = useState(own);
  const moved = target.namespace !== own.namespace || target.generation !== own.generation;
  const system = useTargetSystem(run, target);
  const start = () => retry.mutate({ run, input: inputOf(rows), target: moved ? target : undefined }, { onSuccess: onClose });
  const blocked = writeBlock ?? (problems.size > 0 ? 'Correct the keys first' : system.problem);
  return (
    <Dialog
      open
      onClose={onClose}
      closable={!retry.isPending}
      size="lg"
      title={`Retry ${run.metadata.name} with edits`}
      description="Starts a new run with this input. This run does not change."
      footer={
        <>
          <span role="status" className="mr-auto text-sm text-muted">
            {changes.length === 0 ? 'Same input as before' : changes.length === 1 ? '1 value differs' : `${changes.length} values differ`}
          </span>
          <Button onClick={onClose} disabled={retry.isPending}>
            Cancel
          </Button>
          <Button variant="primary" icon={<RotateCcw />} busy={retry.isPending} disabledReason={blocked} onClick={start}>
            Start the run
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {rows.length === 0 && <p className="text-base text-muted">This run has no input.</p>}
        <div ref={frame} className="contents">
          {rows.map((row) => (
            <InputRowEditor
              key={row.id}
              row={row}
              before={Object.hasOwn(before, row.key) ? before[row.key] : undefined}
              problem={problems.get(row.id)}
              onChange={(fields) => change(row.id, fields)}
              onRemove={() => setRows(rows.filter(({ id }) => id !== row.id))}
            />
          ))}
        </div>
        <div className="flex flex-wrap gap-2">
          <Button size="sm" icon={<Plus />} onClick={add}>
            Add a value
          </Button>
          {changes.length > 0 && (
            <Button size="sm" variant="ghost" icon={<Undo2 />} onClick={() => setRows(rowsOf(before))}>
              Undo all edits
            </Button>
          )}
        </div>
        <RetryTargetFields run={run} target={target} system={system} onChange={setTarget} />
        {retry.error !== null && <ErrorCard title={notStartedText(retry.error)} error={retry.error} />}
      </div>
    </Dialog>
  );
}

interface InputRowEditorProps {
  readonly row: InputRow;
  readonly before: string | undefined;
  readonly problem: string | undefined;
  readonly onChange: (fields: Partial<InputRow>) => void;
  readonly onRemove: () => void;
}

const SHOWN_BEFORE_CHARS = 4_000;

function InputRowEditor({ row, before, problem, onChange, onRemove }: InputRowEditorProps) {
  const changed = before !== row.value;
  const name = row.key === '' ? 'new value' : row.key;
  return (
    <div data-part={row.id} className="grid grid-cols-[minmax(7rem,12rem)_1fr_auto] items-start gap-2 max-sm:grid-cols-1">
      <Field label="Key" error={problem}>
        <Input mono value={row.key} onChange={(event) => onChange({ key: event.target.value })} />
      </Field>
      <div className="min-w-0">
        <Field label="Value" aside={changed ? <Badge tone="info">{before === undefined ? 'New' : 'Edited'}</Badge> : undefined}>
          <Textarea data-autofocus rows={2} value={row.value} onChange={(event) => onChange({ value: event.target.value })} />
        </Field>
        {changed && before !== undefined && (
          <details className="mt-1 text-sm text-muted">
            <summary className="cursor-pointer rounded-xs">As it was</summary>
            <div className="mt-1 max-h-40 overflow-auto rounded-md bg-danger-soft px-2.5 py-1.5 text-text">
              <UntrustedText block text={beginningOf(before, SHOWN_BEFORE_CHARS)} />
            </div>
          </details>
        )}
      </div>
      <IconButton label={`Remove ${name}`} icon={<Trash2 />} onClick={onRemove} className="mt-6 max-sm:mt-0" />
    </div>
  );
}
