// Input of a trial. The call runs in an agent system of its own, so that policies, approvals and limits apply to it.
import type { FieldError } from '@svc/shared/errors';
import type { Json } from '@svc/shared/json';
import type { Resource } from '@svc/shared/resource';
import { useMutation } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { SchemaForm } from '../../../form/SchemaForm.tsx';
import { useInspector } from '../../../inspector/inspector-context.ts';
import { specOf } from '../../../kinds/read.ts';
import { client } from '../../../live/api.ts';
import { RequestKeys } from '../../../live/request-keys.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { FormButtons } from '../../../ui/input/FormButtons.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { toastDone } from '../../../ui/overlay/toast.ts';
import { trialDocuments, trialName } from '@svc/shared/mcp-trial';
import { notStartedText } from '../../runs/model/not-started-text.ts';
import { Form } from '../../../ui/input/Form.tsx';

export interface TryDialogProps {
  readonly server: string;
  readonly tool: Resource;
  readonly onClose: () => void;
}

/** Starts a trial, and returns the name of its run. The same documents again change nothing. */
function useStart({ server, tool }: TryDialogProps): (input: Json, roles: readonly string[]) => Promise<string> {
  const [keys] = useState(() => new RequestKeys());
  const { namespace, name: toolName } = tool.metadata;
  return (input, roles) => {
    const apply = async (name: string) => {
      const documents = trialDocuments({ name, namespace, server, tool: toolName, input, roles });
      await client.resources.applyAll.mutate({ documents, namespace });
      return name;
    };
    return keys.send(JSON.stringify([input, roles]), apply, () => trialName(new Date()));
  };
}

export function TryDialog(props: TryDialogProps) {
  const { tool, onClose } = props;
  const { namespace, name: toolName } = tool.metadata;
  const { reason } = useCanWrite();
  const inspector = useInspector();
  const [input, setInput] = useState<Json>({});
  const [roles, setRoles] = useState('');
  const [problems, setProblems] = useState<readonly FieldError[]>([]);
  const start = useStart(props);
  const run = useMutation({
    mutationFn: () =>
      start(
        input,
        roles.split(/[\s,]+/).filter((role) => role !== ''),
      ),
    onSuccess: (name) => {
      toastDone(`Run ${name} is created`);
      onClose();
      inspector?.open({ kind: 'Task', namespace, name });
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      closable={!run.isPending}
      size="lg"
      title={`Try ${toolName}`}
      description="A run calls the tool once with this input. Policies, approvals and limits apply as to any agent."
    >
      <Form onSubmit={() => run.mutate()} className="flex flex-col gap-4">
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
        {run.error && <ErrorCard title={notStartedText(run.error)} error={run.error} />}
        <FormButtons
          submit="Run"
          onCancel={onClose}
          icon={<Play />}
          busy={run.isPending}
          disabledReason={reason ?? (problems.length > 0 ? 'The input does not match the schema.' : undefined)}
        />
      </Form>
    </Dialog>
  );
}
