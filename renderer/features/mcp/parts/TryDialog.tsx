// Input of a trial. The call runs in an agent system of its own, so that policies, approvals and limits apply to it.
import type { FieldError } from '@svc/shared/errors';
import type { Json } from '@svc/shared/json';
import type { Resource } from '@svc/shared/resource';
import { Play } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { SchemaForm } from '../../../form/SchemaForm.tsx';
import { useInspector } from '../../../inspector/inspector-context.ts';
import { specOf } from '../../../kinds/read.ts';
import { client } from '../../../live/api.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { toastDone } from '../../../ui/overlay/toast.ts';
import { trialDocuments, trialName } from '@svc/shared/mcp-trial';
import { Form } from '../../../ui/input/Form.tsx';

export interface TryDialogProps {
  readonly server: string;
  readonly tool: Resource;
  readonly onClose: () => void;
}

export function TryDialog({ server, tool, onClose }: TryDialogProps) {
  const { namespace, name: toolName } = tool.metadata;
  const { reason } = useCanWrite();
  const inspector = useInspector();
  const [input, setInput] = useState<Json>({});
  const [roles, setRoles] = useState('');
  const [problems, setProblems] = useState<readonly FieldError[]>([]);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    const name = trialName(new Date());
    const bound = roles.split(/[\s,]+/).filter((role) => role !== '');
    try {
      await client.resources.applyAll.mutate({
        documents: trialDocuments({ name, namespace, server, tool: toolName, input, roles: bound }),
        namespace,
      });
    } catch (failure) {
      setError(failure);
      return setBusy(false);
    }
    toastDone(`Run ${name} is created`);
    onClose();
    inspector?.open({ kind: 'Task', namespace, name });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      size="lg"
      title={`Try ${toolName}`}
      description="A run calls the tool once with this input. Policies, approvals and limits apply as to any agent."
    >
      <Form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <SchemaForm
          schema={specOf('Tool', tool).input_schema}
          value={input}
          onChange={setInput}
          onErrors={setProblems}
          label={`Input of ${toolName}`}
        />
        <Field label="Agent roles" hint="Names of AgentRoles that the calling agent gets, separated by commas. Empty: none.">
          <Input mono value={roles} onChange={(event) => setRoles(event.target.value)} />
        </Field>
        <p className="text-sm text-muted">
          The run has a system, an agent and its own scripted model, all with the name of the run. They stay until you remove the trial.
        </p>
        {error !== undefined && <ErrorCard title="The trial could not be started" error={error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose} disabled={busy}>
            Cancel
          </Button>
          <Button
            type="submit"
            variant="primary"
            icon={<Play />}
            busy={busy}
            disabledReason={reason ?? (problems.length > 0 ? 'The input does not match the schema.' : undefined)}
          >
            Run
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
