// Adds labels to one or several objects and removes labels.
import type { Resource } from '@svc/shared/resource';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useCanWrite } from '../../sign-in/can-write.ts';
import { Button } from '../../ui/button/Button.tsx';
import { Checkbox } from '../../ui/input/Checkbox.tsx';
import { Chip } from '../../ui/status/Chip.tsx';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { Field } from '../../ui/input/Field.tsx';
import { Input } from '../../ui/input/Input.tsx';
import { useBatch } from '../../ui/table/use-batch.ts';
import { changeOf, labelProblem, labelsInUse, type LabelEdit } from './label-change.ts';
import { ObjectBatchDialog } from './ObjectBatchDialog.tsx';
import { keyText } from './object-traits.ts';
import { countOf } from './object-text.ts';
import { patchLabels } from './writes.ts';
import { Form } from '../../ui/input/Form.tsx';

export interface LabelsDialogProps {
  readonly kind: string;
  readonly resources: readonly Resource[];
  readonly onClose: () => void;
}

export function LabelsDialog({ kind, resources, onClose }: LabelsDialogProps) {
  const batch = useBatch(keyText);
  const one = resources.length === 1 ? resources[0] : undefined;
  const what = one ? one.metadata.name : countOf(kind, resources.length);
  if (batch.progress) {
    return (
      <ObjectBatchDialog title={`Labels of ${what}`} resources={resources} batch={batch} progress={batch.progress} onClose={onClose} />
    );
  }
  const apply = (edit: LabelEdit) => {
    const change = changeOf(edit);
    batch.start(resources, (each) => patchLabels(each, change));
  };
  return (
    <Dialog open onClose={onClose} title={`Labels of ${what}`} description="Labels find and select objects.">
      <LabelsForm resources={resources} onApply={apply} onClose={onClose} />
    </Dialog>
  );
}

interface LabelsFormProps {
  readonly resources: readonly Resource[];
  readonly onApply: (edit: LabelEdit) => void;
  readonly onClose: () => void;
}

function LabelsForm({ resources, onApply, onClose }: LabelsFormProps) {
  const write = useCanWrite();
  const [text, setText] = useState('');
  const [tried, setTried] = useState(false);
  const [added, setAdded] = useState<readonly string[]>([]);
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set());
  const written = text.trim();
  const problem = written === '' ? undefined : labelProblem(written);
  const add = () => {
    setTried(problem !== undefined);
    if (problem !== undefined || written === '') return;
    const key = written.slice(0, written.indexOf('='));
    setAdded([...added.filter((each) => !each.startsWith(`${key}=`)), written]);
    setText('');
  };
  const submit = () => {
    if (problem !== undefined) setTried(true);
    else onApply({ added: written === '' ? added : [...added, written], removed: [...removed] });
  };
  const remove = (key: string, on: boolean) => {
    const next = new Set(removed);
    if (on) next.add(key);
    else next.delete(key);
    setRemoved(next);
  };
  const changes = added.length + removed.size + (written === '' ? 0 : 1);
  return (
    <div className="flex flex-col gap-4">
      <Form onSubmit={add} className="flex items-start gap-2">
        <Field label="Add a label" error={tried ? problem : undefined} hint="Replaces an existing value." className="flex-1">
          <Input mono placeholder="team=payments" value={text} onChange={(event) => setText(event.target.value)} />
        </Field>
        <Button type="submit" icon={<Plus />} className="mt-5.5">
          Add
        </Button>
      </Form>
      {added.length > 0 && (
        <div className="flex flex-wrap gap-1.5" role="group" aria-label="Labels to add">
          {added.map((each) => (
            <Chip key={each} mono removeLabel={`Do not add ${each}`} onRemove={() => setAdded(added.filter((other) => other !== each))}>
              {each}
            </Chip>
          ))}
        </div>
      )}
      <Present resources={resources} removed={removed} onRemove={remove} />
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="primary" onClick={submit} disabled={changes === 0} disabledReason={write.reason}>
          Change labels
        </Button>
      </div>
    </div>
  );
}

interface PresentProps {
  readonly resources: readonly Resource[];
  readonly removed: ReadonlySet<string>;
  readonly onRemove: (key: string, on: boolean) => void;
}

function Present({ resources, removed, onRemove }: PresentProps) {
  const present = labelsInUse(resources);
  if (present.length === 0) return null;
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">Remove</legend>
      <ul className="flex max-h-56 flex-col gap-1.5 overflow-auto rounded-md border border-border p-2">
        {present.map(({ key, values, count }) => (
          <li key={key}>
            <Checkbox
              checked={removed.has(key)}
              onChange={(on) => onRemove(key, on)}
              label={
                <span className="font-mono text-sm [overflow-wrap:anywhere]">
                  {key}={values.length === 1 ? values[0] : <em className="text-muted">{values.length} values</em>}
                  {resources.length > 1 && <span className="font-sans text-muted"> on {count}</span>}
                </span>
              }
            />
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
