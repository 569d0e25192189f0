// A form made from an untrusted JSON Schema. Independent of the source and target of the value.
import type { FieldError } from '@svc/shared/errors';
import type { Json } from '@svc/shared/json';
import { Suspense, useEffect, useMemo, useState } from 'react';
import { Banner } from '../ui/feedback/Banner.tsx';
import { SegmentedControl } from '../ui/input/SegmentedControl.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { FormContext, type FormSettings } from './form-context.ts';
import { readSchema } from './json-schema.ts';
import { SchemaField } from './SchemaField.tsx';
import { validateValue } from './validate-value.ts';
import { lazyPart } from '../ui/lazy-part.ts';

const JsonEditor = lazyPart(async () => (await import('../editor/JsonEditor.tsx')).JsonEditor);

export interface SchemaFormProps {
  /** Any JSON Schema, or nothing. Parts that cannot be drawn are edited as JSON. */
  readonly schema: unknown;
  readonly value: Json;
  readonly onChange: (value: Json) => void;
  /** Its name for screen readers: "Input of erp.delete". */
  readonly label: string;
  /** With it, each field that differs is marked and can be reset. */
  readonly original?: Json;
  /** Server message of the value, by path. */
  readonly errors?: readonly FieldError[];
  /** Called whenever the errors change: a value may be sent when the list is empty. */
  readonly onErrors?: (errors: readonly FieldError[]) => void;
}

const NONE: readonly FieldError[] = [];
const VIEWS = [
  { value: 'form', label: 'Form' },
  { value: 'json', label: 'JSON' },
] as const;

/** One message per path. */
function byPath(errors: readonly FieldError[]): ReadonlyMap<string, string> {
  const messages = new Map<string, string>();
  for (const { path, message } of errors) messages.set(path, messages.has(path) ? `${messages.get(path)}; ${message}` : message);
  return messages;
}

interface JsonViewProps extends Pick<SchemaFormProps, 'value' | 'onChange' | 'label'> {
  readonly onFault: (fault: string | undefined) => void;
}

/** The value as text. Invalid text is kept here and not accepted. */
function JsonView({ value, onChange, label, onFault }: JsonViewProps) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const change = (next: string) => {
    setText(next);
    try {
      onChange(JSON.parse(next) as Json);
      onFault(undefined);
    } catch (error) {
      onFault(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <Suspense fallback={<Skeleton className="h-40" />}>
      <JsonEditor label={`${label} as JSON`} value={text} onChange={change} className="max-h-[50vh] min-h-40" />
    </Suspense>
  );
}

function useErrors({ schema, value, errors: given = NONE, onErrors }: SchemaFormProps, fault: string | undefined) {
  const root = useMemo(() => readSchema(schema), [schema]);
  const own = useMemo(() => validateValue(root, value), [root, value]);
  const all = useMemo(() => (fault === undefined ? own : [{ path: '', message: `The text is not JSON: ${fault}` }, ...own]), [own, fault]);
  useEffect(() => onErrors?.(all), [onErrors, all]);
  return { root, own, messages: useMemo(() => byPath([...own, ...given]), [own, given]) };
}

export function SchemaForm(props: SchemaFormProps) {
  const { value, onChange, label, original } = props;
  const [view, setView] = useState<'form' | 'json'>('form');
  const [fault, setFault] = useState<string>();
  const { root, messages } = useErrors(props, fault);
  const settings = useMemo(
    (): FormSettings => ({
      Part: SchemaField,
      depth: 0,
      root,
      original: original === undefined ? undefined : { value: original },
      errors: messages,
      readOnly: false,
    }),
    [root, original, messages],
  );
  return (
    <div role="group" aria-label={label} className="flex min-w-0 flex-col gap-3">
      <SegmentedControl
        label="Edit as"
        className="self-end"
        value={view}
        segments={VIEWS}
        onChange={(next) => {
          setView(next);
          setFault(undefined);
        }}
      />
      {view === 'json' ? (
        <>
          <JsonView value={value} onChange={onChange} label={label} onFault={setFault} />
          {fault !== undefined && <Banner tone="danger">Not valid JSON yet; the last valid value is used: {fault}</Banner>}
          {[...messages].map(([path, message]) => (
            <p key={path} className="text-sm text-danger">
              <code className="font-mono">{path || 'The value'}</code> {message}
            </p>
          ))}
        </>
      ) : (
        <FormContext value={settings}>
          <SchemaField schema={root} value={value} onChange={(next) => onChange(next ?? null)} path={[]} name={label} required />
        </FormContext>
      )}
    </div>
  );
}
