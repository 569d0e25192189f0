// Validation of a value by a JSON Schema, as far as a form can draw one. The server decides finally, with all of the schema. Pure.
import type { FieldError } from '@svc/shared/errors';
import { isObject, jsonEquals, type Json } from '@svc/shared/json';
import { pathText } from '@svc/shared/path-text';
import type { YamlPath } from '../yaml/path-text.ts';
import { drawingOf, type Drawing, type JsonSchema } from './json-schema.ts';

const DEPTH_MAX = 64;
const ERRORS_MAX = 200;
const STEPS_MAX = 50_000;
const SHOWN_VALUES_MAX = 8;

interface Place {
  readonly path: YamlPath;
  readonly root: JsonSchema;
  readonly errors: FieldError[];
  /** Shared by the whole check: nested choices would take exponential time. */
  readonly budget: { left: number };
}

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

function addError({ path, errors }: Place, message: string): void {
  if (errors.length < ERRORS_MAX) errors.push({ path: pathText(path), message });
}

function checkText(value: unknown, schema: JsonSchema, place: Place): void {
  if (typeof value !== 'string') {
    addError(place, 'must be a string');
    return;
  }
  const length = [...value].length;
  const { minLength, maxLength } = { minLength: numberOf(schema.minLength), maxLength: numberOf(schema.maxLength) };
  if (minLength !== undefined && length < minLength)
    addError(place, minLength === 1 ? 'must not be empty' : `must have at least ${minLength} characters`);
  if (maxLength !== undefined && length > maxLength) addError(place, `must have at most ${maxLength} characters, not ${length}`);
  const fault = formatFault(value, schema.format);
  if (fault !== undefined) addError(place, fault);
}

const FORMATS: Readonly<Record<string, { readonly fits: (value: string) => boolean; readonly words: string }>> = {
  'date-time': {
    fits: (value) => /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d/.test(value) && !Number.isNaN(Date.parse(value)),
    words: 'a date and time such as 2026-03-01T14:30:00Z',
  },
  date: { fits: (value) => /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)), words: 'a date such as 2026-03-01' },
  email: { fits: (value) => /^[^\s@]+@[^\s@]+$/.test(value), words: 'an e-mail address' },
  uri: { fits: (value) => URL.canParse(value), words: 'a full address such as https://example.com' },
  uuid: { fits: (value) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value), words: 'a UUID' },
};

function formatFault(value: string, format: unknown): string | undefined {
  const known = typeof format === 'string' && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  return known === undefined || value === '' || known.fits(value) ? undefined : `must be ${known.words}`;
}

function checkNumber(value: unknown, schema: JsonSchema, place: Place & { readonly whole: boolean }): void {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    addError(place, place.whole ? 'must be a whole number' : 'must be a number');
    return;
  }
  if (place.whole && !Number.isInteger(value)) addError(place, `must be a whole number, not ${value}`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    addError(place, 'is too large to be kept exactly; send it as a string if the tool accepts one');
  const bound = (key: string) => numberOf(schema[key]);
  const [least, most, above, below, step] = [
    bound('minimum'),
    bound('maximum'),
    bound('exclusiveMinimum'),
    bound('exclusiveMaximum'),
    bound('multipleOf'),
  ];
  if (least !== undefined && value < least) addError(place, `must be at least ${least}`);
  if (most !== undefined && value > most) addError(place, `must be at most ${most}`);
  if (above !== undefined && value <= above) addError(place, `must be more than ${above}`);
  if (below !== undefined && value >= below) addError(place, `must be less than ${below}`);
  if (step !== undefined && step > 0 && Math.abs(value / step - Math.round(value / step)) > 1e-9)
    addError(place, `must be a multiple of ${step}`);
}

function checkObject(value: unknown, drawing: Drawing, place: Place): void {
  if (!isObject(value)) {
    addError(place, 'must be an object');
    return;
  }
  if (drawing.control.type !== 'object') return;
  const { fields, others } = drawing.control;
  const known = new Set(fields.map(({ name }) => name));
  for (const { name, schema, required } of fields) {
    const inner = { ...place, path: [...place.path, name] };
    if (Object.hasOwn(value, name)) check(value[name], schema, inner);
    else if (required) addError(inner, 'is required');
  }
  const extra = Object.keys(value).filter((key) => !known.has(key));
  for (const key of extra) {
    const inner = { ...place, path: [...place.path, key] };
    if (others === undefined) addError(inner, 'is not an accepted field');
    else check(value[key], others, inner);
  }
}

function checkList(value: unknown, drawing: Drawing, place: Place): void {
  if (!Array.isArray(value)) {
    addError(place, 'must be a list');
    return;
  }
  const [least, most] = [numberOf(drawing.schema.minItems), numberOf(drawing.schema.maxItems)];
  if (least !== undefined && value.length < least) addError(place, `must have at least ${least} ${least === 1 ? 'entry' : 'entries'}`);
  if (most !== undefined && value.length > most) addError(place, `must have at most ${most} ${most === 1 ? 'entry' : 'entries'}`);
  if (drawing.control.type !== 'list') return;
  const { item } = drawing.control;
  value.forEach((entry, index) => check(entry, item, { ...place, path: [...place.path, index] }));
}

function enumText(values: readonly Json[]): string {
  const shown = values.slice(0, SHOWN_VALUES_MAX).map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  return `must be one of ${shown.join(', ')}${values.length > shown.length ? ', …' : ''}`;
}

function fitsWithin(value: unknown, schema: JsonSchema, { root, budget, path }: Place): boolean {
  const errors: FieldError[] = [];
  check(value, schema, { path, root, errors, budget });
  return errors.length === 0;
}

/** Whether the value satisfies the schema. */
export function fits(value: unknown, schema: JsonSchema, root: JsonSchema): boolean {
  return fitsWithin(value, schema, { path: [], root, errors: [], budget: { left: STEPS_MAX } });
}

function check(value: unknown, schema: JsonSchema, place: Place): void {
  place.budget.left -= 1;
  if (place.path.length > DEPTH_MAX || place.errors.length >= ERRORS_MAX || place.budget.left < 0) return;
  // Chooses by the schema alone: a value of another type must not choose its own check.
  const drawing = drawingOf(schema, undefined, place.root);
  const { control } = drawing;
  if (value === null && (drawing.nullable || control.type === 'json')) return;
  switch (control.type) {
    case 'text':
      return checkText(value, drawing.schema, place);
    case 'number':
      return checkNumber(value, drawing.schema, { ...place, whole: control.whole });
    case 'boolean':
      return typeof value === 'boolean' ? undefined : addError(place, 'must be true or false');
    case 'const':
      return jsonEquals(value, control.value) ? undefined : addError(place, `must be ${JSON.stringify(control.value)}`);
    case 'enum':
      return control.values.some((each) => jsonEquals(each, value)) ? undefined : addError(place, enumText(control.values));
    case 'object':
      return checkObject(value, drawing, place);
    case 'list':
      return checkList(value, drawing, place);
    case 'choice':
      if (!control.options.some((option) => fitsWithin(value, option, place))) addError(place, 'matches none of the accepted forms');
      return;
    case 'json':
      return;
  }
}

/** All errors of the value, each at its path; the empty path is the whole value. */
export function validateValue(schema: JsonSchema, value: unknown): readonly FieldError[] {
  const errors: FieldError[] = [];
  check(value, schema, { path: [], root: schema, errors, budget: { left: STEPS_MAX } });
  return errors;
}
