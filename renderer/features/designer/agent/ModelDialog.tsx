// Makes a model beside the system: its vendor, its name there, its key. Nothing is stored before the whole design is applied.
import { nameProblem } from '@svc/shared/resource';
import { PlugZap } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button/Button.tsx';
import { cn } from '../../../ui/cn.ts';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { freeName } from '../document/drafts.ts';
import { CONNECTION_TEST } from './model-question.ts';
import { TrialAnswer } from './TrialAnswer.tsx';
import { useTrial } from './use-trial.ts';
import { VENDORS, type Vendor } from './vendors.ts';
import { Form } from '../../../ui/input/Form.tsx';
import { ValueStorage } from '../../sealing/parts/ValueStorage.tsx';

export interface NewModel {
  readonly name: string;
  readonly spec: Readonly<Record<string, unknown>>;
  /** Name of the Secret and its value; absent for models without a key. */
  readonly secret?: { readonly name: string; readonly value: string };
}

export interface ModelDialogProps {
  readonly open: boolean;
  /** Provider that it begins with. */
  readonly first: Vendor | undefined;
  readonly namespace: string;
  /** Names of models that exist or are drafted. */
  readonly taken: readonly string[];
  /** Names of Secrets that exist or are drafted. */
  readonly secrets: readonly string[];
  readonly onMade: (model: NewModel) => void;
  readonly onClose: () => void;
}

interface ModelInput {
  readonly vendor: Vendor;
  /** Empty: the proposed one. */
  readonly name: string;
  readonly model: string;
  readonly key: string;
  readonly address: string;
}

const isMock = ({ provider }: Vendor) => provider === 'mock';
const takesKey = ({ provider, needsKey }: Vendor) => needsKey || provider === 'gateway-a-compatible';

/** Without texts of fields that the provider has none of: they are kept for another choice of provider, and not sent. */
function shownInput(written: ModelInput): ModelInput {
  const { vendor } = written;
  return { ...written, ...(!takesKey(vendor) && { key: '' }), ...(isMock(vendor) && { model: '', address: '' }) };
}

/** A free name after the model's: `gpt-5-mini`, `gpt-5-mini-2`. */
function proposedName({ vendor, model }: ModelInput, taken: readonly string[]): string {
  const plain = (model.trim() === '' ? vendor.title : model).toLowerCase().replace(/[^a-z0-9._-]+/g, '-');
  const base = plain.replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '') || 'model';
  return freeName(base, taken);
}

function modelOf(written: ModelInput, { taken, secrets }: Pick<ModelDialogProps, 'taken' | 'secrets'>): NewModel {
  const { vendor, model, key, address } = written;
  const name = written.name.trim() === '' ? proposedName(written, taken) : written.name.trim();
  const secret = key === '' ? undefined : { name: freeName(`${name}-key`, secrets), value: key };
  const spec = {
    provider: vendor.provider,
    ...(model.trim() !== '' && { default_model: model.trim() }),
    ...(address.trim() !== '' && { base_url: address.trim() }),
    ...(secret && { auth: { secretRef: secret.name } }),
  };
  return { name, spec, ...(secret && { secret }) };
}

/** The first field that is still to be filled in. */
function gapOf({ vendor, model, key, address, name }: ModelInput, taken: readonly string[]): string | undefined {
  if (model.trim() === '' && !isMock(vendor)) return 'Write the name of the model';
  if (vendor.needsKey && key === '') return 'Write the API key';
  if (vendor.needsAddress && address.trim() === '') return 'Write the address';
  if (name.trim() === '') return undefined;
  if (taken.includes(name.trim())) return 'Choose another name: this one is taken';
  return nameProblem(name.trim()) === undefined ? undefined : 'Correct the name';
}

function Vendors({ chosen, onChoose }: { readonly chosen: Vendor; readonly onChoose: (vendor: Vendor) => void }) {
  return (
    <div role="group" aria-label="Provider" className="grid grid-cols-3 gap-2 max-sm:grid-cols-2">
      {VENDORS.map((vendor) => (
        <button
          key={vendor.provider}
          type="button"
          aria-pressed={vendor === chosen}
          title={vendor.hint}
          onClick={() => onChoose(vendor)}
          className={cn(
            'flex min-w-0 flex-col items-start rounded-md border px-2.5 py-1.5 text-left hover:bg-hover',
            vendor === chosen ? 'border-accent bg-accent-soft' : 'border-border',
          )}
        >
          <span className="max-w-full truncate font-medium">{vendor.title}</span>
          <span className="max-w-full truncate font-mono text-sm text-muted">{vendor.provider}</span>
        </button>
      ))}
    </div>
  );
}

function ModelFields({ written, proposed, set }: { written: ModelInput; proposed: string; set: (change: Partial<ModelInput>) => void }) {
  const { vendor, model, key, address, name } = written;
  return (
    <>
      {!isMock(vendor) && (
        <Field label="Model" required>
          <Input data-autofocus mono placeholder={vendor.example} value={model} onChange={(event) => set({ model: event.target.value })} />
        </Field>
      )}
      {takesKey(vendor) && (
        <Field
          label="API key"
          required={vendor.needsKey}
          hint={
            <>
              Kept in a Secret of its own. It is never shown again. <ValueStorage />
            </>
          }
        >
          <Input mono type="password" autoComplete="new-password" value={key} onChange={(event) => set({ key: event.target.value })} />
        </Field>
      )}
      {!isMock(vendor) && (
        <Field label="Address" required={vendor.needsAddress}>
          <Input
            mono
            placeholder={vendor.address === '' ? 'https://models.example.com/v1' : vendor.address}
            value={address}
            onChange={(event) => set({ address: event.target.value })}
          />
        </Field>
      )}
      <Field label="Name here">
        <Input mono placeholder={proposed} value={name} onChange={(event) => set({ name: event.target.value })} />
      </Field>
    </>
  );
}

function ModelForm({ first, namespace, taken, secrets, onMade, onClose }: ModelDialogProps) {
  const [written, setWritten] = useState<ModelInput>(() => ({
    ...{ name: '', model: '', key: '', address: '' },
    vendor: first ?? (VENDORS[0] as Vendor),
  }));
  const trial = useTrial();
  const set = (change: Partial<ModelInput>) => setWritten((before) => ({ ...before, ...change }));
  const shown = shownInput(written);
  const gap = gapOf(shown, taken);
  const made = modelOf(shown, { taken, secrets });
  const test = () => {
    const { name, spec, secret } = made;
    trial.ask({ namespace, name, spec, message: CONNECTION_TEST, ...(secret && { apiKey: secret.value }) });
  };
  const submit = () => {
    if (gap === undefined) onMade(made);
  };
  return (
    <Form onSubmit={submit} className="flex flex-col gap-3">
      <Vendors chosen={written.vendor} onChoose={(vendor) => set({ vendor })} />
      <p className="text-sm text-muted">{written.vendor.hint}</p>
      <ModelFields written={written} proposed={proposedName(shown, taken)} set={set} />
      <TrialAnswer trial={trial} content={false} />
      <div className="flex flex-wrap justify-end gap-2 border-t border-border pt-3">
        <Button icon={<PlugZap />} busy={trial.busy} disabledReason={gap} onClick={test} className="mr-auto">
          Test connection
        </Button>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" disabledReason={gap}>
          Use this model
        </Button>
      </div>
    </Form>
  );
}

export function ModelDialog(props: ModelDialogProps) {
  return (
    <Dialog open={props.open} onClose={props.onClose} title="New model" size="md">
      {props.open && <ModelForm {...props} />}
    </Dialog>
  );
}
