// Suggestions at a cursor in YAML: fields, allowed values, references, snippets. Pure: the caller looks up names of objects.
import type { Field } from '@svc/shared/kinds/kind-fields';
import type { CursorContext } from './cursor-context.ts';
import { fieldsInOrder, nodeAt, refKind } from './schema-source.ts';

export interface Suggestion {
  readonly label: string;
  readonly type: 'field' | 'value' | 'reference' | 'snippet';
  /** Text beside the label. */
  readonly detail: string;
  /** Schema to describe when the suggestion is selected. */
  readonly about: Field | undefined;
  /** Replaces the word. */
  readonly insert: string;
  /** Whether another suggestion follows at once. */
  readonly asksOn: boolean;
}

export interface Offer {
  readonly from: number;
  readonly suggestions: readonly Suggestion[];
  /** Kind whose objects' names fit here as well, and the prefix of a name. */
  readonly references: { readonly kind: string; readonly before: string } | undefined;
  /** Whether namespaces fit here. */
  readonly namespaces: boolean;
}

export interface OfferRequest {
  readonly schema: Field;
  readonly context: CursorContext;
  /** Existing keys of the map at the cursor. */
  readonly present: ReadonlySet<string>;
  /** Names defined in the document itself that fit here, such as the agents of a graph. */
  readonly local?: readonly string[];
  /** Whether a space is missing before a value: `key:|`. */
  readonly tight?: boolean;
}

const DURATIONS: readonly (readonly [string, string])[] = [
  ['30s', '30 seconds'],
  ['5m', '5 minutes'],
  ['10m', '10 minutes'],
  ['1h', '1 hour'],
  ['24h', '1 day'],
];
const CRONS: readonly (readonly [string, string])[] = [
  ['*/15 * * * *', 'every 15 minutes'],
  ['0 * * * *', 'every hour'],
  ['0 2 * * *', 'every day at 02:00'],
  ['0 9 * * MON-FRI', 'weekdays at 09:00'],
  ['0 6 * * MON', 'Mondays at 06:00'],
  ['0 0 1 * *', 'the first of each month'],
];
const TIME_ZONES: readonly (readonly [string, string])[] = [
  ['UTC', ''],
  ...['Europe/Berlin', 'Europe/London', 'America/New_York', 'America/Los_Angeles', 'Asia/Tokyo', 'Asia/Kolkata'].map(
    (zone) => [zone, ''] as const,
  ),
];
const SNIPPETS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  duration: DURATIONS,
  cron: CRONS,
  'time-zone': TIME_ZONES,
};

const NEEDS_QUOTES = /^[\s>|*&!%#`@{}[\],?:-]|[:#]\s|\s$|^(?:true|false|null|~|yes|no)$|^[-+.\d]/i;

/** A text in YAML notation: quoted where it would be read as another type. */
export function scalarText(value: string): string {
  return value === '' || NEEDS_QUOTES.test(value) ? JSON.stringify(value) : value;
}

function plainValue(value: string, schema: Field): string {
  return schema.type === 'boolean' || schema.type === 'integer' ? value : /^\d+[a-z]+$/.test(value) ? value : scalarText(value);
}

/** Text after the key of a field, so that its value can be typed at once. */
function opening(name: string, field: Field, context: CursorContext): string {
  const key = scalarText(name);
  if (context.flow) return field.type === 'list' ? `${key}: [` : field.type === 'object' || field.type === 'map' ? `${key}: {` : `${key}: `;
  const nested = `\n${' '.repeat(context.column + 2)}`;
  if (field.type === 'list') return `${key}:${nested}- `;
  return field.type === 'object' || field.type === 'map' ? `${key}:${nested}` : `${key}: `;
}

function fieldDetail(field: Field): string {
  if (field.required) return 'required';
  return field.defaultText === undefined ? '' : `default ${field.defaultText}`;
}

function fieldSuggestions({ schema, context, present }: OfferRequest): Suggestion[] {
  return fieldsInOrder(schema)
    .filter(([name]) => !present.has(name) || name === context.word)
    .map(([name, field]) => ({
      label: name,
      type: 'field',
      detail: fieldDetail(field),
      about: field,
      insert: opening(name, field, context),
      asksOn: true,
    }));
}

function valueSuggestions(schema: Field, before: string): Suggestion[] {
  const value = (label: string, type: Suggestion['type'], detail = ''): Suggestion => ({
    label,
    type,
    detail,
    about: undefined,
    insert: before + plainValue(label, schema),
    asksOn: false,
  });
  const isDefault = (label: string) => (label === schema.defaultText ? 'default' : '');
  const fixed = schema.values.map((each) => value(each, 'value', isDefault(each)));
  const flags = schema.type === 'boolean' ? ['true', 'false'].map((each) => value(each, 'value', isDefault(each))) : [];
  const snippets = (SNIPPETS[schema.format ?? ''] ?? []).map(([label, detail]) => value(label, 'snippet', detail));
  const options = schema.options.flatMap((option) => valueSuggestions(option, before));
  return [...fixed, ...flags, ...snippets, ...options];
}

function unique(suggestions: readonly Suggestion[]): Suggestion[] {
  return [...new Map(suggestions.map((each) => [each.label, each])).values()];
}

/** Suggestions at the cursor; undefined where the kind has no such place. */
export function offerAt(request: OfferRequest): Offer | undefined {
  const { schema: root, context, local = [], tight } = request;
  const schema = nodeAt(root, context.path);
  if (!schema) return undefined;
  const { from } = context;
  const none: Offer = { from, suggestions: [], references: undefined, namespaces: false };
  const named = (before: string): Suggestion[] =>
    local.map((name) => ({
      label: name,
      type: 'reference',
      detail: 'in this document',
      about: undefined,
      insert: before + scalarText(name),
      asksOn: false,
    }));
  const asList = schema.type === 'list' && schema.item !== undefined;
  if (context.position === 'key' && !asList && hasFields(schema)) return { ...none, suggestions: fieldSuggestions({ ...request, schema }) };
  if (context.position === 'key' && schema.type === 'map')
    return { ...none, suggestions: named('').map((each) => ({ ...each, insert: `${each.insert}:` })) };
  const entry = asList ? schema.item : schema;
  if (!entry) return none;
  const before = asList ? entryStart(context, tight) : tight ? ' ' : '';
  if (asList && hasFields(entry)) return entryFields({ ...request, schema: entry }, none, before);
  const kind = refKind(entry);
  return {
    ...none,
    suggestions: unique([...named(before), ...valueSuggestions(entry, before)]),
    references: kind === undefined ? undefined : { kind, before },
    namespaces: entry.format === 'namespace',
  };
}

function hasFields(schema: Field): boolean {
  return schema.type === 'object' || (schema.type === 'union' && schema.options.some((option) => option.type === 'object'));
}

/** Prefix of an entry of a list: a dash where a line begins, a line of its own after a key. */
function entryStart(context: CursorContext, tight: boolean | undefined): string {
  if (context.flow) return context.position === 'value' && !context.inEntry ? '[' : '';
  if (context.position === 'value') return tight ? ' ' : '';
  return context.inEntry ? '' : '- ';
}

function entryFields(request: OfferRequest, none: Offer, before: string): Offer {
  const { context } = request;
  if (context.position === 'value') return none;
  const column = context.column + before.length;
  const suggestions = fieldSuggestions({ ...request, present: new Set(), context: { ...context, column } });
  return { ...none, suggestions: suggestions.map((each) => ({ ...each, insert: before + each.insert })) };
}
