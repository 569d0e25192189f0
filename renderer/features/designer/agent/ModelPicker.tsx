// The model of an agent: picked from those that exist, or made here. A made model also serves the new agents that have none.
import { parseRef } from '@svc/shared/resource';
import { useQuery } from '@tanstack/react-query';
import { PlugZap, Plus } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../../live/api.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Select } from '../../../ui/input/Select.tsx';
import { draftId, draftsOf, newDraft, modelOf, withDraft, withField, type DraftObject, type Drafts } from '../document/drafts.ts';
import type { Design } from '../document/use-design.ts';
import { ModelDialog, type NewModel } from './ModelDialog.tsx';
import { CONNECTION_TEST, questionTo } from './model-question.ts';
import { TrialAnswer } from './TrialAnswer.tsx';
import type { OfferedModel } from './use-models.ts';
import { useOffer } from './use-offer.ts';
import { useTrial } from './use-trial.ts';
import { VENDORS, type Vendor } from './vendors.ts';

export interface ModelPickerProps {
  /** The agent as the system names it. */
  readonly node: string;
  readonly agent: DraftObject;
  readonly design: Design;
  readonly models: readonly OfferedModel[];
  readonly readOnly: boolean;
}

const MODEL_REF = ['spec', 'model_ref'];
const NEW = ' new';

/** The model of this agent, and of the new agents that have none yet. */
function withModel(drafts: Drafts, agent: DraftObject, ref: string): Drafts {
  const { namespace } = agent;
  const without = [...drafts.values()].filter(
    (draft) => draft.kind === 'Agent' && draft.namespace === namespace && !draft.base && !modelOf(draft),
  );
  const own = drafts.get(draftId(agent)) ?? agent;
  const others = without.filter((draft) => draftId(draft) !== draftId(agent));
  return [own, ...others].reduce((before, draft) => withDraft(before, withField(draft, MODEL_REF, ref)), drafts);
}

/** The drafts with a new model and its Secret. */
function withNewModel(drafts: Drafts, namespace: string, { name, spec, secret }: NewModel): Drafts {
  const key = secret && newDraft({ kind: 'Secret', namespace, name: secret.name }, { stringData: { value: secret.value } });
  const model = newDraft({ kind: 'ModelEndpoint', namespace, name }, spec);
  return [...(key ? [key] : []), model].reduce(withDraft, drafts);
}

const SECRETS_LISTED = 1000;

/** Names of the Secrets of the namespace and of the drafts; those of the drafts alone until they are needed. */
function useSecrets(namespace: string, drafts: Drafts, enabled: boolean): readonly string[] {
  const wanted = { kind: 'Secret', namespace, order: 'name', limit: SECRETS_LISTED } as const;
  const { data } = useQuery({ ...api.resources.list.queryOptions(wanted), enabled });
  return [...draftsOf(drafts, 'Secret'), ...(data?.items ?? []).map(({ metadata }) => metadata)].map(({ name }) => name);
}

export function ModelPicker({ node, agent, design, models, readOnly }: ModelPickerProps) {
  /** The provider that the open dialog begins with. */
  const [making, setMaking] = useState<Vendor>();
  const secrets = useSecrets(agent.namespace, design.drafts, making !== undefined);
  const trial = useTrial();
  const ref = modelOf(agent);
  const listed = models.some((model) => model.ref === ref);
  const options = [
    ...(ref === '' ? [{ value: '', label: 'Choose a model' }] : []),
    ...(ref !== '' && !listed ? [{ value: ref, label: ref }] : []),
    ...models.map((model) => ({ value: model.ref, label: `${model.ref} · ${model.summary}${model.drafted ? ' (new)' : ''}` })),
    { value: NEW, label: 'Create a model…' },
  ];
  const choose = (value: string) => {
    if (value === NEW) setMaking(VENDORS[0]);
    else design.edit(`Use ${value} for ${agent.name}`, ({ drafts }) => ({ drafts: withModel(drafts, agent, value) }));
  };
  const made = (model: NewModel) => {
    setMaking(undefined);
    design.edit(`Create the model ${model.name}`, ({ drafts }) => ({
      drafts: withModel(withNewModel(drafts, agent.namespace, model), agent, model.name),
    }));
  };
  useOffer(node, (item) => {
    if (item.kind === 'model') choose(item.ref);
    else if (item.kind === 'vendor') setMaking(VENDORS.find(({ provider }) => provider === item.id));
    return item.kind === 'model' || item.kind === 'vendor';
  });
  return (
    <div className="flex flex-col gap-2">
      <Field label="Model" required>
        {models.length === 0 && ref === '' ? (
          <Button icon={<Plus />} disabled={readOnly} onClick={() => setMaking(VENDORS[0])} className="self-start">
            Create a model
          </Button>
        ) : (
          <span className="flex gap-1.5">
            <Select aria-label="Model" disabled={readOnly} value={ref} options={options} onChange={choose} className="flex-1" />
            <IconButton
              label="Test connection"
              icon={<PlugZap />}
              busy={trial.busy}
              disabledReason={ref === '' ? 'Choose a model first' : readOnly ? 'You may not try models here' : undefined}
              onClick={() => trial.ask({ ...questionTo(design.drafts, parseRef(ref, agent.namespace)), message: CONNECTION_TEST })}
            />
          </span>
        )}
      </Field>
      <TrialAnswer trial={trial} content={false} />
      <ModelDialog
        open={making !== undefined}
        first={making}
        namespace={agent.namespace}
        taken={models.map((model) => model.ref)}
        secrets={secrets}
        onMade={made}
        onClose={() => setMaking(undefined)}
      />
    </div>
  );
}
