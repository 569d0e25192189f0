// Renames the agent of a node: a stored one with every reference to it, one that is not stored in the design alone.
import { nameProblem, parseRef } from '@svc/shared/resource';
import { useState } from 'react';
import { loadDefinitions } from '../../../kinds/definitions.ts';
import { Field } from '../../../ui/input/Field.tsx';
import { Form } from '../../../ui/input/Form.tsx';
import { FormButtons } from '../../../ui/input/FormButtons.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { toastError } from '../../../ui/overlay/toast.ts';
import { RenameDialog } from '../../explorer/parts/RenameDialog.tsx';
import { draftId } from '../document/drafts.ts';
import { renameAgent, renamedId } from '../document/rename-agent.ts';
import type { Design } from '../document/use-design.ts';
import { withRenamedNode } from '../../trials/model/trial-draft.ts';
import type { TrialDesign } from '../run/use-trial-design.ts';

export interface RenameAgentProps {
  readonly agent: string;
  readonly namespace: string;
  readonly design: Design;
  readonly trial: TrialDesign;
  /** Names of the stored agents of the namespace. */
  readonly agents: readonly string[];
  /** Whether the agent is stored. */
  readonly stored: boolean;
  readonly onClose: () => void;
}

export function RenameAgent(props: RenameAgentProps) {
  const { agent, namespace, design, trial, stored, onClose } = props;
  /** The node keeps its place and its selection under the new name. */
  const onRenamed = (to: string) => {
    const id = renamedId(agent, to);
    const at = design.placement.positions.get(agent);
    if (at) design.place(new Map([[id, at]]));
    if (trial.marks.has(agent)) trial.setDraft(withRenamedNode(trial.draft, agent, id));
    design.select({ nodes: [id], edges: [] });
    onClose();
  };
  if (stored) return <RenameDialog object={{ kind: 'Agent', ...parseRef(agent, namespace) }} onClose={onClose} onRenamed={onRenamed} />;
  return <RenameInDesign {...props} onRenamed={onRenamed} />;
}

function RenameInDesign({ agent, namespace, design, agents, onClose, onRenamed }: RenameAgentProps & { onRenamed: (to: string) => void }) {
  const { namespace: home, name } = parseRef(agent, namespace);
  const [to, setTo] = useState(name);
  const written = to.trim();
  const id = renamedId(agent, written);
  const isTaken =
    design.model.byName.has(id) || agents.includes(id) || design.drafts.has(draftId({ kind: 'Agent', namespace: home, name: written }));
  const problem =
    written === '' || written === name
      ? undefined
      : (nameProblem(written) ?? (isTaken ? `There is already an agent ${written}` : undefined));
  const rename = async () => {
    try {
      const { kindByName } = await loadDefinitions();
      design.edit(`Rename ${agent} to ${written}`, (before) =>
        renameAgent(before, { namespace, agent, to: written, definitionOf: kindByName }),
      );
      onRenamed(written);
    } catch (error) {
      toastError(`${agent} was not renamed`, error);
    }
  };
  return (
    <Dialog open onClose={onClose} title={`Rename ${agent}`} description="The agent is not stored yet: its name changes in this design.">
      <Form onSubmit={() => void rename()} className="flex flex-col gap-4">
        <Field label="Name" required error={problem}>
          <Input mono value={to} onFocus={(event) => event.target.select()} onChange={(event) => setTo(event.target.value)} />
        </Field>
        <FormButtons submit="Rename" onCancel={onClose} disabled={written === '' || written === name || problem !== undefined} />
      </Form>
    </Dialog>
  );
}
