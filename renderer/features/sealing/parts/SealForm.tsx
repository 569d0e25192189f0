// Form that seals values for a new SealedSecret. Values stay in this form and are wiped with it; it hands on the sealed manifest.
import { nameProblem, namespaceProblem } from '@svc/shared/resource';
import { useMutation, useQuery } from '@tanstack/react-query';
import { LockKeyhole, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { Mono } from '../../../ui/text/Mono.tsx';
import { Section } from '../../../ui/layout/Section.tsx';
import { ENTRY_KEY, sealedManifest, sealingProblem } from '../model/seal.ts';
import { changedKeyProblem, pinKey, pinnedKey } from '../model/pinned-key.ts';
import { ValueField } from './ValueField.tsx';
import { Form } from '../../../ui/input/Form.tsx';

export interface SealFormProps {
  readonly namespace: string;
  /** Receives the manifest as YAML. */
  readonly onSealed: (yaml: string) => void;
}

interface Entry {
  /** Stable while the form is open. */
  readonly id: number;
  readonly key: string;
  readonly value: string;
}

interface SealInput {
  readonly name: string;
  readonly namespace: string;
  readonly entries: readonly Entry[];
}

/** Problems by field; empty when the form can be sealed. `name`, `namespace`, and keys and values of entries by their id. */
function problemsOf({ name, namespace, entries }: SealInput): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  const note = (field: string, problem: string | undefined) => problem !== undefined && problems.set(field, problem);
  note('name', name === '' ? 'Enter the name of the Secret.' : nameProblem(name));
  note('namespace', namespaceProblem(namespace));
  for (const [index, { id, key, value }] of entries.entries()) {
    if (key === '') note(`key-${id}`, 'Enter a key.');
    else if (!ENTRY_KEY.test(key)) note(`key-${id}`, 'Use letters, digits, ".", "_" and "-".');
    else if (entries.findIndex((other) => other.key === key) < index) note(`key-${id}`, 'This key is already used.');
    if (value === '') note(`value-${id}`, 'Enter a value.');
  }
  return problems;
}

export function SealForm({ namespace: home, onSealed }: SealFormProps) {
  const { data: key, error: keyError } = useQuery(api.server.sealingKey.queryOptions());
  const [filled, setFilled] = useState<SealInput>({ name: '', namespace: home, entries: [{ id: 0, key: 'value', value: '' }] });
  const [tried, setTried] = useState(false);
  const { name, namespace, entries } = filled;
  const seal = useMutation({
    mutationFn: () => sealedManifest({ namespace, name }, Object.fromEntries(entries.map((entry) => [entry.key, entry.value]))),
    onSuccess: onSealed,
    // The values are discarded with the form.
    gcTime: 0,
  });
  const problems = problemsOf(filled);
  const shown = (field: string) => (tried ? problems.get(field) : undefined);
  const submit = () => {
    setTried(true);
    if (problems.size === 0) seal.mutate();
  };
  const [pinned, setPinned] = useState(pinnedKey);
  const changed = key && changedKeyProblem(key.keyId, pinned);
  const trust = (keyId: string) => {
    pinKey(keyId);
    setPinned(keyId);
  };
  const blocked = sealingProblem() ?? (keyError === null ? changed : problemOf(keyError).message);
  return (
    <Section
      title="Seal values"
      description="They are encrypted in this page. Only this server opens them, under this name and namespace. The result can be kept in a repository."
    >
      {blocked !== undefined && (
        <Banner
          tone="warn"
          action={
            key &&
            blocked === changed && (
              <Button size="sm" onClick={() => trust(key.keyId)}>
                Trust the new key
              </Button>
            )
          }
        >
          {blocked}
        </Banner>
      )}
      {seal.error && <Banner tone="danger">Not sealed. {problemOf(seal.error).message}</Banner>}
      <Form onSubmit={submit} className="mt-3 flex max-w-3xl flex-col gap-4" noValidate>
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <Field label="Name" required error={shown('name')} hint="The Secret gets the same name.">
            <Input mono value={name} onChange={(event) => setFilled({ ...filled, name: event.target.value })} />
          </Field>
          <Field label="Namespace" required error={shown('namespace')}>
            <Input mono value={namespace} onChange={(event) => setFilled({ ...filled, namespace: event.target.value })} />
          </Field>
        </div>
        <Entries entries={entries} shown={shown} onChange={(changed) => setFilled({ ...filled, entries: changed })} />
        <div className="flex flex-wrap items-center gap-3">
          <Button type="submit" variant="primary" icon={<LockKeyhole />} busy={seal.isPending} disabledReason={blocked}>
            Seal
          </Button>
          {key && (
            <span className="text-sm text-muted">
              With the key <Mono>{key.keyId}</Mono>
            </span>
          )}
        </div>
      </Form>
    </Section>
  );
}

interface EntriesProps {
  readonly entries: readonly Entry[];
  readonly shown: (field: string) => string | undefined;
  readonly onChange: (entries: readonly Entry[]) => void;
}

function Entries({ entries, shown, onChange }: EntriesProps) {
  const change = (id: number, changed: Partial<Entry>) =>
    onChange(entries.map((entry) => (entry.id === id ? { ...entry, ...changed } : entry)));
  return (
    <>
      <ul className="flex flex-col gap-3" aria-label="Entries">
        {entries.map(({ id, key, value }, index) => (
          <li key={id} className="grid items-start gap-3 sm:grid-cols-[minmax(0,1fr)_minmax(0,2fr)_auto]">
            <Field label={`Key ${index + 1}`} required error={shown(`key-${id}`)}>
              <Input mono value={key} onChange={(event) => change(id, { key: event.target.value })} />
            </Field>
            <ValueField
              label={`Value ${index + 1}`}
              error={shown(`value-${id}`)}
              value={value}
              onChange={(next) => change(id, { value: next })}
            />
            <IconButton
              className="mt-6"
              label={`Remove entry ${index + 1}`}
              icon={<Trash2 />}
              disabledReason={entries.length === 1 ? 'A Secret has at least one entry.' : undefined}
              onClick={() => onChange(entries.filter((entry) => entry.id !== id))}
            />
          </li>
        ))}
      </ul>
      <div>
        <Button icon={<Plus />} onClick={() => onChange([...entries, { id: nextId(entries), key: '', value: '' }])}>
          Add an entry
        </Button>
      </div>
    </>
  );
}

const nextId = (entries: readonly Entry[]): number => Math.max(...entries.map(({ id }) => id)) + 1;
