// Pins the output of an agent for the next trial: as a text, or as an earlier run recorded it.
import { Pin } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button/Button.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Kbd } from '../../../ui/text/Kbd.tsx';
import { SegmentedControl } from '../../../ui/input/SegmentedControl.tsx';
import { Select } from '../../../ui/input/Select.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';
import type { EarlierRuns } from '../model/use-earlier-runs.ts';
import { pinOf, withoutPin, withPin, type TrialDraft } from '../model/trial-draft.ts';
import { Form } from '../../../ui/input/Form.tsx';

export interface PinDialogProps {
  readonly node: string;
  readonly draft: TrialDraft;
  readonly onDraft: (draft: TrialDraft) => void;
  /** Earlier runs of the system. */
  readonly runs: EarlierRuns;
  /** Output of the agent in the run that is shown; a text begins with it. */
  readonly recorded?: string | undefined;
  readonly onClose: () => void;
}

const MODES = [
  { value: 'text', label: 'Text' },
  { value: 'run', label: 'Earlier run' },
] as const;

export function PinDialog({ node, draft, onDraft, runs, recorded, onClose }: PinDialogProps) {
  const pin = pinOf(draft, node);
  const [mode, setMode] = useState<'text' | 'run'>(pin?.task === undefined ? 'text' : 'run');
  const [text, setText] = useState(pin?.output ?? recorded ?? '');
  const [task, setTask] = useState(pin?.task ?? runs.best);
  const listed = task === '' || runs.names.includes(task) ? runs.names : [task, ...runs.names];
  const blocked = mode === 'run' && task === '' ? 'The system has no earlier run' : undefined;
  const save = () => {
    if (blocked !== undefined) return;
    onDraft(withPin(draft, mode === 'text' ? { node, output: text } : { node, task }));
    onClose();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Pin the output of ${node}`}
      description="It replaces every turn of the agent in the next trial. No model is called for it, and the system itself does not change."
    >
      <Form onSubmit={save} className="flex flex-col gap-4">
        <SegmentedControl label="Kind of the pin" value={mode} segments={MODES} onChange={setMode} />
        {mode === 'text' ? (
          <Field label="Output">
            <Textarea data-autofocus dir="auto" className="min-h-32" value={text} onChange={(event) => setText(event.target.value)} />
          </Field>
        ) : (
          <Field
            label="Earlier run"
            hint="Its recorded outputs are used in their order. The trial fails if the connections of the agent have changed."
          >
            <Select value={task} options={listed.map((value) => ({ value, label: value }))} onChange={setTask} />
          </Field>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          {pin && (
            <Button
              variant="danger-quiet"
              className="mr-auto"
              onClick={() => {
                onDraft(withoutPin(draft, node));
                onClose();
              }}
            >
              Remove the pin
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" icon={<Pin />} disabledReason={blocked}>
            Pin <Kbd hint keys="mod+enter" />
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
