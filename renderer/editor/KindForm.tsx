// The spec and labels of an object as a form that edits its YAML in place: comments and order of the text stay.
import type { Json } from '@svc/shared/json';
import { useCallback, useMemo } from 'react';
import { cn } from '../ui/cn.ts';
import { EmptyState } from '../ui/feedback/EmptyState.tsx';
import { Section } from '../ui/layout/Section.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { editYaml } from '../yaml/edit-document.ts';
import { FormContext, type BesideReference, type FormSettings } from '../form/form-context.ts';
import { drawingOf, type JsonSchema, type ObjectField } from '../form/json-schema.ts';
import { kindParts } from '../form/kind-schema.ts';
import { SchemaField } from '../form/SchemaField.tsx';
import { valueAt } from '../form/value-at.ts';
import { findNames, type FindNames } from './live-names.ts';
import type { YamlPath } from '../yaml/path-text.ts';
import { envelopeNode } from '../yaml/schema-source.ts';
import { useDefinitions } from './use-text-check.ts';
import { useFieldErrors } from './use-field-errors.ts';
import { onlyValueOf } from '../yaml/yaml-paths.ts';
import type { YamlDiagnostic } from './YamlEditor.tsx';

export interface KindFormProps {
  /** The object's YAML: one document. */
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly kind: string;
  readonly namespace: string;
  /** The YAML to mark edits against. */
  readonly baseText?: string | undefined;
  readonly diagnostics?: readonly YamlDiagnostic[];
  readonly readOnly?: boolean;
  readonly besideReference?: BesideReference | undefined;
  /** Offers names of other objects. Default: those of all objects of the kind. */
  readonly find?: FindNames | undefined;
  /** Fields of the spec that are shown. Default: all, and the labels. */
  readonly only?: readonly string[] | undefined;
  readonly className?: string;
}

const SPEC: YamlPath = ['spec'];
const LABELS: YamlPath = ['metadata', 'labels'];

const readJson = (text: string) => onlyValueOf(text) as { readonly value: Json } | undefined;

function useSettings(props: KindFormProps, value: Json | undefined): FormSettings | undefined {
  const { text, kind, namespace, baseText, diagnostics, readOnly = false, besideReference, find = findNames } = props;
  const known = useDefinitions();
  const original = useMemo(() => (baseText === undefined ? undefined : readJson(baseText)), [baseText]);
  const errors = useFieldErrors(text, { kind, namespace, ...(diagnostics && { diagnostics }) });
  return useMemo(() => {
    if (!known) return undefined;
    const namesOf: FormSettings['namesOf'] = async (of, query, signal) => {
      const found = await find(of, query, { namespace, signal });
      return found.map((each) => ({ value: each.namespace === namespace ? each.name : `${each.namespace}/${each.name}` }));
    };
    const valueAtPath: FormSettings['valueAtPath'] = (path) => valueAt(value, path);
    return { Part: SchemaField, root: {}, depth: SPEC.length, original, errors, readOnly, namesOf, besideReference, valueAtPath };
  }, [known, namespace, original, errors, readOnly, besideReference, find, value]);
}

function fieldsNamed(spec: JsonSchema, names: readonly string[]): readonly ObjectField[] {
  const { control } = drawingOf(spec, {}, spec);
  return control.type === 'object' ? control.fields.filter(({ name }) => names.includes(name)) : [];
}

interface FieldsProps {
  readonly of: readonly ObjectField[];
  readonly value: Json;
  readonly set: (path: YamlPath, value: Json | undefined) => void;
  readonly className: string | undefined;
}

function Fields({ of, value, set, className }: FieldsProps) {
  return (
    <div className={cn('flex flex-col gap-4', className)}>
      {of.map(({ name, schema, required }) => {
        const path = [...SPEC, name];
        const part = { schema, path, name, required, value: valueAt(value, path) };
        return <SchemaField key={name} {...part} onChange={(next) => set(path, next)} />;
      })}
    </div>
  );
}

export function KindForm(props: KindFormProps) {
  const { text, onChange, kind, namespace, only, className } = props;
  const known = useDefinitions();
  const parts = useMemo(() => {
    const definition = known?.kindByName(kind);
    return known && definition && kindParts(envelopeNode({ definition, kinds: known.kinds, namespace }), kind);
  }, [known, kind, namespace]);
  const read = useMemo(() => readJson(text), [text]);
  const settings = useSettings(props, read?.value);
  const labelSettings = useMemo(() => settings && { ...settings, depth: LABELS.length }, [settings]);
  const set = useCallback(
    (path: YamlPath, value: Json | undefined) => {
      const edited = editYaml(text, [value === undefined ? { op: 'delete', path } : { op: 'set', path, value }]);
      if (edited !== undefined) onChange(edited);
    },
    [text, onChange],
  );
  if (!settings || !parts)
    return (
      <div className={only ? className : cn('min-h-0 flex-1', className)}>
        <Skeleton className="m-6 h-40" />
      </div>
    );
  if (!read)
    return (
      <EmptyState cause="none" title="The text cannot be shown as a form">
        It has syntax errors, duplicate keys, several documents, or aliases that cannot be read. Fix it in the YAML tab.
      </EmptyState>
    );
  if (only)
    return (
      <FormContext value={settings}>
        <Fields of={fieldsNamed(parts.spec, only)} value={read.value} set={set} className={className} />
      </FormContext>
    );
  return (
    <FormContext value={settings}>
      <div className={cn('min-h-0 flex-1 overflow-auto', className)}>
        <div className="flex max-w-3xl flex-col gap-8 p-6">
          <Section title="Spec">
            <SchemaField
              schema={parts.spec}
              value={valueAt(read.value, SPEC) ?? {}}
              onChange={(next) => set(SPEC, next ?? {})}
              path={SPEC}
              name="spec"
              required
            />
          </Section>
          <Section title="Labels">
            <FormContext value={labelSettings}>
              <SchemaField
                schema={parts.labels}
                value={valueAt(read.value, LABELS) ?? {}}
                onChange={(next) => set(LABELS, next)}
                path={LABELS}
                name="labels"
                required
              />
            </FormContext>
          </Section>
        </div>
      </div>
    </FormContext>
  );
}
