// Shows fields and their values, one below the other. The type decides how: reference, time, text, list, map, object with known fields, JSON.
import { isObject } from '@svc/shared/json';
import { atKey } from '@svc/shared/path-text';
import { formatExact, formatNumber, isInstant } from '../../../ui/status/format.ts';
import { JsonTree } from '../../../ui/text/JsonTree.tsx';
import { PhasePill } from '../../../ui/status/PhasePill.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import type { Field } from '@svc/shared/kinds/kind-fields';
import { valueTitle } from '../../../kinds/field-titles.ts';
import { FieldTerm } from './FieldTerm.tsx';
import { RefLink } from './RefLink.tsx';
import { useReferenceAt } from './references.ts';
import { useId, useState } from 'react';
import { Button } from '../../../ui/button/Button.tsx';
import { CodeBlock } from '../../../ui/text/CodeBlock.tsx';
import { beginningOf } from '../../../ui/text/whole-characters.ts';

export interface FieldEntry {
  readonly name: string;
  readonly value: unknown;
  readonly path: string;
  readonly field: Field | undefined;
  /** The name is a user-defined key. */
  readonly verbatim: boolean;
}

export interface FieldListProps {
  readonly entries: readonly FieldEntry[];
  readonly namespace: string;
}

export function FieldList({ entries, namespace }: FieldListProps) {
  return (
    <dl className="flex flex-col gap-2">
      {entries.map(({ name, value, path, field, verbatim }) => (
        <div
          key={name}
          className="grid grid-cols-[minmax(6.5rem,min(13rem,30cqw))_1fr] items-baseline gap-x-4 has-[>dd>[role=tree]]:items-start max-sm:grid-cols-1 @max-xs:grid-cols-1"
        >
          <dt className="text-base text-muted [overflow-wrap:anywhere]">
            <FieldTerm name={name} field={field} verbatim={verbatim} />
          </dt>
          <dd className="min-w-0 text-base [overflow-wrap:anywhere]">
            <FieldValue name={name} value={value} path={path} field={field} namespace={namespace} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface FieldValueProps {
  readonly name: string;
  readonly value: unknown;
  /** Its path, as the server writes paths: `spec.tools[2]`. */
  readonly path: string;
  readonly field: Field | undefined;
  readonly namespace: string;
}

const ENTRIES_MAX = 60;

function FieldValue(props: FieldValueProps) {
  const { name, value, path, field, namespace } = props;
  const reference = useReferenceAt(path);
  if (reference) return <RefLink object={reference} exists={reference.exists} path={reference.path} home={namespace} />;
  if (value === null || value === undefined || value === '') return <span className="text-faint">–</span>;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return <span className="tabular-nums">{formatExact(value)}</span>;
  if (typeof value === 'string')
    return field?.values.includes(value) ? <Chosen value={value} /> : <Words name={name} path={path} text={value} />;
  if (Array.isArray(value)) return <Entries {...props} items={value as unknown[]} />;
  if (!isObject(value)) return null;
  if (isLaidOut(field, value)) return <Below {...props} value={value} />;
  return <JsonTree label={name} value={value} className="max-w-3xl" />;
}

/** Fields that the definition contains, and maps of texts; all others are a tree. */
function isLaidOut(field: Field | undefined, value: Readonly<Record<string, unknown>>): boolean {
  if ((field?.children.size ?? 0) > 0) return true;
  return field?.type === 'map' && Object.values(value).every((each) => typeof each !== 'object' || each === null);
}

/** One of the allowed values; the value as written is the hint. */
function Chosen({ value }: { readonly value: string }) {
  const title = valueTitle(value);
  return <span title={title === value ? undefined : value}>{title}</span>;
}

function Words({ name, path, text }: { readonly name: string; readonly path: string; readonly text: string }) {
  if (name === 'phase' && path.startsWith('status.')) return <PhasePill phase={text} />;
  if (isInstant(text)) return <Time at={text} sentence />;
  return <LongText text={text} label={name} />;
}

function Below({ value, path, field, namespace }: FieldValueProps & { readonly value: Readonly<Record<string, unknown>> }) {
  const map = field?.type === 'map';
  // For a map the definition describes the values, which are the children of the field.
  const inner = map && field.children.size > 0 ? { ...field, type: 'object' as const, description: '' } : undefined;
  const entries = Object.entries(value);
  if (entries.length === 0) return <span className="text-faint">–</span>;
  return (
    <div className="@container border-l-2 border-border pl-3">
      <FieldList
        entries={entries.slice(0, ENTRIES_MAX).map(([key, each]) => ({
          name: key,
          value: each,
          path: atKey(path, key),
          field: map ? inner : field?.children.get(key),
          verbatim: map,
        }))}
        namespace={namespace}
      />
      {entries.length > ENTRIES_MAX && <p className="mt-2 text-sm text-muted">and {entries.length - ENTRIES_MAX} more; the YAML has all</p>}
    </div>
  );
}

function Entries({ items, path, field, namespace, name }: FieldValueProps & { readonly items: readonly unknown[] }) {
  if (items.length === 0) return <span className="text-faint">–</span>;
  const shown = items.slice(0, ENTRIES_MAX);
  const plain = items.every((item) => typeof item !== 'object' || item === null);
  const short = plain && items.every((item) => String(item as string).length <= 80);
  const inner = field && field.children.size > 0 ? { ...field, type: 'object' as const, description: '' } : undefined;
  return (
    <ul className={short ? 'flex flex-wrap gap-x-3 gap-y-1.5' : 'flex flex-col gap-2'}>
      {shown.map((item, index) => (
        <li key={index} className={plain ? 'min-w-0' : 'rounded-md border border-border bg-surface p-3'}>
          <Entry item={item} path={`${path}[${index}]`} field={inner} namespace={namespace} name={name} />
        </li>
      ))}
      {items.length > ENTRIES_MAX && <li className="text-sm text-muted">and {items.length - ENTRIES_MAX} more; the YAML has all</li>}
    </ul>
  );
}

interface EntryProps extends Omit<FieldValueProps, 'value'> {
  readonly item: unknown;
}

function Entry({ item, path, field, namespace, name }: EntryProps) {
  const reference = useReferenceAt(path);
  if (reference) return <RefLink object={reference} exists={reference.exists} path={reference.path} home={namespace} />;
  if (typeof item === 'string' && item.length <= 80) {
    return (
      <span className="inline-block max-w-full rounded-sm bg-neutral-soft px-1.5 font-mono text-sm">
        <UntrustedText text={item} />
      </span>
    );
  }
  if (!isObject(item) || !field) return <FieldValue name={name} value={item} path={path} field={field} namespace={namespace} />;
  return (
    <FieldList
      entries={Object.entries(item).map(([key, value]) => ({
        name: key,
        value,
        path: atKey(path, key),
        field: field.children.get(key),
        verbatim: false,
      }))}
      namespace={namespace}
    />
  );
}

interface LongTextProps {
  readonly text: string;
  readonly label: string;
}

const SHORT_CHARS = 120;
const FOLDED_LINES = 8;
const FOLDED_CHARS = 700;

function folded(text: string): string {
  return beginningOf(text.split('\n', FOLDED_LINES).join('\n'), FOLDED_CHARS);
}

/** User-written text of any length: the beginning at first, all of it on request. */
function LongText({ text, label }: LongTextProps) {
  const id = useId();
  const [open, setOpen] = useState(false);
  if (text.length <= SHORT_CHARS && !text.includes('\n')) return <UntrustedText dir="auto" text={text} />;
  const beginning = folded(text);
  const whole = beginning.length === text.length;
  return (
    <div id={id} className="flex max-w-3xl flex-col items-start gap-1">
      <CodeBlock wrap dir="auto" text={open || whole ? text : `${beginning.trimEnd()} …`} label={label} className="w-full" />
      {!whole && (
        <Button variant="link" size="sm" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
          {open ? 'Show less' : `Show all ${formatNumber(text.length)} characters`}
        </Button>
      )}
    </div>
  );
}
