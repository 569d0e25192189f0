// Branches a Session: a new one with the history up to a checkpoint, perhaps with other models or prompts.
import type { Checkpoint } from '@svc/shared/api/sessions';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { specOf } from '../../../kinds/read.ts';
import { api, client } from '../../../live/api.ts';
import { useScope } from '../../../navigation/scope.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { FormButtons } from '../../../ui/input/FormButtons.tsx';
import { Checkbox } from '../../../ui/input/Checkbox.tsx';
import { Combobox } from '../../../ui/input/Combobox.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { useNavigation } from '../../../ui/link/navigation.ts';
import { shownError } from '../../../ui/feedback/shown-error.ts';
import { Textarea } from '../../../ui/input/Textarea.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { forkRequest, forkText, type ForkDraft } from '../model/checkpoints.ts';
import { refOf, systemOf, type Session } from '../model/session.ts';
import { composeAddress, proposedName } from '../model/start-session.ts';
import { Form } from '../../../ui/input/Form.tsx';

export interface ForkDialogProps {
  readonly session: Session;
  readonly checkpoint: Checkpoint;
  readonly title: string;
  readonly onClose: () => void;
}

const MODELS_OFFERED = 200;

export function ForkDialog({ session, checkpoint, title, onClose }: ForkDialogProps) {
  const { scope } = useScope();
  const { go } = useNavigation();
  const [draft, setDraft] = useState<ForkDraft>({ name: proposedName(session.metadata), resume: false, models: {}, prompts: {} });
  const { reason } = useCanWrite();
  const fork = useMutation({
    mutationFn: () => client.checkpoints.fork.mutate({ ...refOf(session), id: checkpoint.id, fork: forkRequest(draft) }),
    onSuccess: () => {
      onClose();
      go(composeAddress({ namespace: session.metadata.namespace, name: draft.name.trim() }, scope));
    },
  });
  const set = (change: Partial<ForkDraft>) => {
    setDraft({ ...draft, ...change });
    fork.reset();
  };
  const aboutName = nameProblem(fork.error);
  return (
    <Dialog
      open
      onClose={onClose}
      closable={!fork.isPending}
      size="lg"
      title={`Fork ${session.metadata.name}`}
      description={forkText(checkpoint, title)}
    >
      <Form onSubmit={() => fork.mutate()} className="flex flex-col gap-4">
        <Field label="Name" required error={aboutName}>
          <Input mono value={draft.name} onChange={(event) => set({ name: event.target.value })} />
        </Field>
        <AgentOverrides session={session} inside={checkpoint.safe_point !== 'turn.completed'} draft={draft} onChange={set} />
        <Checkbox
          checked={draft.resume}
          onChange={(resume) => set({ resume })}
          label={
            checkpoint.safe_point === 'turn.completed'
              ? 'Accept messages at once; otherwise the new Session is paused'
              : 'Continue the turn of the checkpoint at once; otherwise the new Session is paused'
          }
        />
        {fork.error && aboutName === undefined && <ErrorCard title="The Session could not be forked" error={fork.error} />}
        <FormButtons submit="Fork" onCancel={onClose} busy={fork.isPending} disabled={draft.name.trim() === ''} disabledReason={reason} />
      </Form>
    </Dialog>
  );
}

function nameProblem(error: unknown): string | undefined {
  if (error === null) return undefined;
  const { code, message, details = [] } = shownError(error);
  if (code === 'conflict') return message;
  return details.find(({ path }) => path === 'name' || path === 'metadata.name')?.message;
}

interface OverridesProps {
  readonly session: Session;
  /** The checkpoint is inside of a turn. */
  readonly inside: boolean;
  readonly draft: ForkDraft;
  readonly onChange: (change: Partial<ForkDraft>) => void;
}

/** An agent may have a name that every object knows, such as `constructor`. */
const textAt = (values: Readonly<Record<string, string>>, agent: string) => (Object.hasOwn(values, agent) ? (values[agent] ?? '') : '');

/** Agents of the system as it is now; overrides replace what their objects say, in the fork alone. */
function AgentOverrides({ session, inside, draft, onChange }: OverridesProps) {
  const { data: system } = useQuery(api.resources.get.queryOptions(systemOf(session), { retry: false }));
  const { data: models } = useQuery(
    api.resources.list.queryOptions({ kind: 'ModelEndpoint', namespace: session.metadata.namespace, order: 'name', limit: MODELS_OFFERED }),
  );
  const agents = (system && specOf('AgentSystem', system).agents) ?? [];
  if (agents.length === 0) return null;
  const options = (models?.items ?? []).map(({ metadata }) => ({ value: metadata.name }));
  return (
    <details className="rounded-md border border-border px-3 py-2">
      <summary className="cursor-pointer text-base font-medium">Other models or prompts</summary>
      <div className="mt-3 flex flex-col gap-4">
        {agents.map((agent) => (
          <fieldset key={agent} className="flex flex-col gap-2 border-t border-border/60 pt-3 first:border-0 first:pt-0">
            <legend className="sr-only">Agent {agent}</legend>
            <p aria-hidden className="font-medium">
              <UntrustedText text={agent} />
            </p>
            <Field label="Model" hint={inside ? 'Empty: the one with which the turn began.' : "Empty: the agent's own."}>
              <Combobox
                mono
                allowCustom
                options={options}
                value={textAt(draft.models, agent)}
                onChange={(value) => onChange({ models: { ...draft.models, [agent]: value } })}
              />
            </Field>
            <Field label="Prompt" hint={inside ? 'Empty: the one with which the turn began.' : "Empty: the agent's own."}>
              <Textarea
                value={textAt(draft.prompts, agent)}
                onChange={(event) => onChange({ prompts: { ...draft.prompts, [agent]: event.target.value } })}
              />
            </Field>
          </fieldset>
        ))}
      </div>
    </details>
  );
}
