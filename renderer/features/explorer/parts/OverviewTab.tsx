// Readable overview of an object, made from the kind's definition: problems, state, spec.
import { isObject } from '@svc/shared/json';
import type { Field } from '@svc/shared/kinds/kind-fields';
import { atKey } from '@svc/shared/path-text';
import type { Resource } from '@svc/shared/resource';
import { useState } from 'react';
import { isCallable, kindNamed } from '../../../kinds/kind-table.ts';
import type { ObjectRef } from '../../../navigation/addresses.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { SkeletonLines } from '../../../ui/feedback/Skeleton.tsx';
import { NewTemplateButton } from '../../triggers/parts/NewTemplateButton.tsx';
import { TriggerCards } from '../../triggers/parts/TriggerCards.tsx';
import { useKindFields } from '../kind-fields.ts';
import { FieldList, type FieldEntry } from '../object/FieldList.tsx';
import { Referrers } from '../object/Referrers.tsx';
import { References, useReferenceAt, useReferences } from '../object/references.ts';
import { SecretKeys } from '../object/SecretKeys.tsx';
import { StatusSection, type StatusSectionProps } from '../object/StatusSection.tsx';
import { isSecretKind, refOf } from '../object-traits.ts';
import { useObject } from '../model/use-object.ts';
import { fieldTitle } from '../../../kinds/field-titles.ts';
import { CodeMarks } from '../../../ui/text/CodeMarks.tsx';
import { KindCards, specOnCards, statusOnCards } from './KindCards.tsx';
import { ToolProblem } from './ToolProblem.tsx';

export interface ObjectTabProps {
  readonly object: ObjectRef;
}

export function OverviewTab({ object }: ObjectTabProps) {
  const found = useObject(object);
  const references = useReferences(object, found.state === 'there');
  const fields = useKindFields(object.kind);
  if (found.state === 'loading') return <SkeletonLines widths={['w-1/3', 'w-2/3', 'w-1/2', 'w-3/5', 'w-2/5']} className="p-6" />;
  if (found.state !== 'there' && found.state !== 'deleted') return null;
  const { resource } = found;
  return (
    <References value={references}>
      <div className="flex flex-col gap-4 p-6 max-sm:p-4">
        {isCallable(object.kind) && found.state === 'there' && <ToolProblem tool={refOf(resource)} />}
        {found.state === 'there' && <MissingTemplate resource={resource} />}
        <StatusSection
          resource={resource}
          field={fields?.status}
          omit={found.state === 'there' ? statusOnCards(resource.kind) : undefined}
        />
        {found.state === 'there' && <KindCards resource={resource} />}
        {found.state === 'there' && <TriggerCards resource={resource} />}
        {isSecretKind(object.kind) ? (
          <SecretParts resource={resource} gone={found.state === 'deleted'} />
        ) : (
          <Specification resource={resource} field={fields?.spec} omit={found.state === 'there' ? specOnCards(resource.kind) : undefined} />
        )}
        <Annotations resource={resource} />
      </div>
    </References>
  );
}

/** A schedule or webhook without its template starts no run. */
function MissingTemplate({ resource }: { readonly resource: Resource }) {
  const template = useReferenceAt('spec.task_ref');
  if (!template || template.exists || kindNamed(resource.kind)?.area !== 'triggers') return null;
  const { namespace, name } = template;
  return (
    <Banner tone="warn" className="rounded-md" action={<NewTemplateButton namespace={namespace} name={name} label="Create the template" />}>
      The template {name} does not exist, so no run starts.
    </Banner>
  );
}

/** Keys of the Secret, whose values stay hidden, and its referrers. */
function SecretParts({ resource, gone }: { readonly resource: Resource; readonly gone: boolean }) {
  return (
    <>
      <SecretKeys resource={resource} gone={gone} />
      {!gone && <Referrers object={refOf(resource)} />}
    </>
  );
}

/** In the order of the definition; unknown fields come last. */
function entriesOf(resource: Resource, field: Field | undefined): FieldEntry[] {
  const known = [...(field?.children.keys() ?? [])];
  const names = [...known.filter((name) => name in resource.spec), ...Object.keys(resource.spec).filter((name) => !known.includes(name))];
  return names.map((name) => ({
    name,
    value: resource.spec[name],
    path: `spec.${name}`,
    field: field?.children.get(name),
    verbatim: false,
  }));
}

/** Groups of fields have cards of their own: fields with children, or maps of such. */
function isGroup({ value, field }: FieldEntry): boolean {
  const nested = isObject(value) || (Array.isArray(value) && value.some((each) => isObject(each)));
  return nested && (field?.children.size ?? 0) > 0;
}

function Specification({ resource, field, omit = [] }: StatusSectionProps) {
  const entries = entriesOf(resource, field).filter(({ name }) => !omit.includes(name));
  const plain = entries.filter((entry) => !isGroup(entry));
  const groups = entries.filter(isGroup);
  const { namespace } = resource.metadata;
  return (
    <>
      <Card title="Specification" footer={field && <Unset field={field} spec={resource.spec} />}>
        {plain.length > 0 ? <FieldList entries={plain} namespace={namespace} /> : <p className="text-muted">No fields are set.</p>}
      </Card>
      {groups.map((entry) => (
        <Card key={entry.name} title={fieldTitle(entry.name)} description={entry.field && <CodeMarks text={entry.field.description} />}>
          <FieldList entries={inGroup(entry)} namespace={namespace} />
        </Card>
      ))}
    </>
  );
}

/** The fields of a group; a list of objects stays one entry. */
function inGroup(entry: FieldEntry): FieldEntry[] {
  if (!isObject(entry.value)) return [entry];
  const map = entry.field?.type === 'map';
  const inner = map && entry.field ? { ...entry.field, type: 'object' as const, description: '' } : undefined;
  return Object.entries(entry.value).map(([name, value]) => ({
    name,
    value,
    path: atKey(entry.path, name),
    field: map ? inner : entry.field?.children.get(name),
    verbatim: map,
  }));
}

/** Optional fields that are not set. */
function Unset({ field, spec }: { readonly field: Field; readonly spec: Resource['spec'] }) {
  const [open, setOpen] = useState(false);
  const unset = [...field.children.values()].filter(({ name }) => !(name in spec));
  if (unset.length === 0) return 'All fields are set.';
  return (
    <div className="flex flex-col items-start gap-2">
      <Button variant="link" size="sm" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? 'Hide unset fields' : `Show ${unset.length} unset ${unset.length === 1 ? 'field' : 'fields'}`}
      </Button>
      {open && (
        <dl className="flex flex-col gap-1.5">
          {unset.map(({ name, description, defaultText }) => (
            <div key={name} className="grid grid-cols-[minmax(8rem,14rem)_1fr] gap-3 max-sm:grid-cols-1 max-sm:gap-0">
              <dt className="font-mono text-text">{name}</dt>
              <dd>
                <CodeMarks text={description} />
                {defaultText !== undefined && ` Default: ${defaultText}.`}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

function Annotations({ resource }: { readonly resource: Resource }) {
  const entries = Object.entries(resource.metadata.annotations);
  if (entries.length === 0) return null;
  return (
    <Card title="Annotations">
      <FieldList
        namespace={resource.metadata.namespace}
        entries={entries.map(([name, value]) => ({ name, value, path: `metadata.annotations.${name}`, field: undefined, verbatim: true }))}
      />
    </Card>
  );
}
