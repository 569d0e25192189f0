// Creates a template Task, for a schedule or webhook that starts runs from it. A chunk of its own, since the form is heavy.
import { isObject } from '@svc/shared/json';
import { API_VERSION, nameProblem } from '@svc/shared/resource';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { KindForm } from '../../../editor/KindForm.tsx';
import { creator } from '../../../live/creator.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { toastDone } from '../../../ui/overlay/toast.ts';
import { toYaml } from '../../../yaml/serialise.ts';
import { onlyValueOf } from '../../../yaml/yaml-paths.ts';

export interface NewTemplateDialogProps {
  readonly namespace: string;
  /** Suggested name. */
  readonly name: string;
  readonly onCreated: (name: string) => void;
  readonly onClose: () => void;
}

const FIELDS = ['system', 'input'];
const FIRST_SPEC = { mode: 'template', system: '', input: {} };

function specIn(text: string): Readonly<Record<string, unknown>> {
  const value = onlyValueOf(text)?.value;
  return isObject(value) && isObject(value.spec) ? value.spec : {};
}

export function NewTemplateDialog({ namespace, name: suggested, onCreated, onClose }: NewTemplateDialogProps) {
  const { reason } = useCanWrite();
  const [name, setName] = useState(suggested);
  const [text, setText] = useState(() =>
    toYaml({ apiVersion: API_VERSION, kind: 'Task', metadata: { name: 'template' }, spec: FIRST_SPEC }),
  );
  const [create] = useState(creator);
  const spec = specIn(text);
  const make = useMutation({
    mutationFn: () => create({ apiVersion: API_VERSION, kind: 'Task', metadata: { name, namespace }, spec }),
    onSuccess: () => {
      toastDone(`Template ${name} was created`);
      onCreated(name);
    },
  });
  const wrongName = name === '' ? undefined : nameProblem(name);
  const unnamed = name === '' ? 'Name the template' : undefined;
  const unset = spec.system === '' || spec.system === undefined ? 'Choose the agent system' : undefined;
  return (
    <Dialog
      open
      onClose={onClose}
      closable={!make.isPending}
      title="New template"
      description="An agent system with its input. It never runs itself: schedules and webhooks start runs from it."
      footer={
        <>
          <Button onClick={onClose} disabled={make.isPending}>
            Cancel
          </Button>
          <Button
            variant="primary"
            busy={make.isPending}
            disabledReason={reason ?? unnamed ?? wrongName ?? unset}
            onClick={() => make.mutate()}
          >
            Create
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label="Name" required error={wrongName}>
          <Input mono value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        <KindForm text={text} onChange={setText} kind="Task" namespace={namespace} only={FIELDS} />
        {make.error !== null && <ErrorCard title="The template was not created" error={make.error} />}
      </div>
    </Dialog>
  );
}
