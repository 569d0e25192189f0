// JSON Schemas compiled with Ajv, with checks of our own where Ajv's take time that grows with the square of the input. Runs inline and in check threads alike.
import { Ajv, type ErrorObject, type FuncKeywordDefinition, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { boundedMemo } from '@svc/shared/bounded-memo';
import type { FieldError } from '@svc/shared/errors';
import { canonicalJson } from '@svc/shared/json';
import { pathText } from '@svc/shared/path-text';
import { linearRegExp } from '@svc/shared/linear-regexp';

const SHOWN_ERRORS_MAX = 5;
const SHOWN_KEY_MAX_CHARS = 100;

export type SchemaCheck = (input: unknown) => readonly FieldError[];

/** The first problems of an input, none when it fits. With `all` every problem is collected, which takes memory for each. Throws for an invalid schema. */
export function compileSchema(schema: Record<string, unknown>, { all }: { readonly all: boolean }): SchemaCheck {
  // A fresh instance each time: schemas of different tools may share an $id.
  const ajv = newAjv(schema['$schema'], all);
  const validate: ValidateFunction = ajv.compile(schema);
  return (input) => {
    const fits = validate(input);
    const errors = validate.errors ?? [];
    validate.errors = null;
    return fits === true ? [] : errors.slice(0, SHOWN_ERRORS_MAX).map(describe);
  };
}

/** The first rule of its dialect that the schema breaks; undefined when it breaks none. Takes time in proportion to the schema. */
export function schemaProblem(schema: Record<string, unknown>): string | undefined {
  const ajv = judgeOf(dialectOf(schema['$schema']));
  try {
    return ajv.validateSchema(schema) === true ? undefined : ajv.errorsText(ajv.errors?.slice(0, 1), { dataVar: 'schema' });
  } catch (error) {
    return error instanceof Error ? error.message : 'unknown problem';
  }
}

/** Schemas come from tools' authors and inputs from models: together they must not find a pattern that never ends. */
const regExp = Object.assign((pattern: string) => linearRegExp(pattern), { code: 'linearRegExp' });

const DIALECTS = { '2020-12': Ajv2020, '2019-09': Ajv2019, 'draft-07': Ajv };
type Dialect = keyof typeof DIALECTS;

function dialectOf(uri: unknown): Dialect {
  const name = typeof uri === 'string' ? uri : '';
  return (['2020-12', '2019-09'] as const).find((dialect) => name.includes(dialect)) ?? 'draft-07';
}

function newAjv(uri: unknown, allErrors: boolean): Ajv {
  const options: Options = { strict: false, allErrors, logger: false, code: { regExp } };
  const ajv: Ajv = new DIALECTS[dialectOf(uri)](options);
  ajvFormats.default(ajv);
  for (const keyword of LINEAR) ajv.removeKeyword(keyword.keyword as string).addKeyword(keyword);
  return ajv;
}

/** Instances that check schemas against their dialect and keep none of them. */
const judgeOf = boundedMemo(Object.keys(DIALECTS).length, (dialect) => newAjv(dialect, false));

const report = (validate: { errors?: Partial<ErrorObject>[] }, error: Partial<ErrorObject>): false => {
  validate.errors = [error];
  return false;
};

const enumOf: FuncKeywordDefinition = {
  keyword: 'enum',
  schemaType: 'array',
  compile(values: readonly unknown[]) {
    const allowed = new Set(values.map(canonicalJson));
    const check: { (input: unknown): boolean; errors?: Partial<ErrorObject>[] } = (input) =>
      allowed.has(canonicalJson(input)) ||
      report(check, { keyword: 'enum', message: 'must be equal to one of the allowed values', params: {} });
    return check;
  },
  errors: true,
};

const uniqueItems: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  compile(wanted: boolean) {
    const check: { (input: readonly unknown[]): boolean; errors?: Partial<ErrorObject>[] } = (input) => {
      if (!wanted) return true;
      const seen = new Map<string, number>();
      for (const [index, item] of input.entries()) {
        const text = canonicalJson(item);
        const first = seen.get(text);
        const message = `must NOT have duplicate items (items ## ${first} and ${index} are identical)`;
        if (first !== undefined) return report(check, { keyword: 'uniqueItems', message, params: {} });
        seen.set(text, index);
      }
      return true;
    };
    return check;
  },
  errors: true,
};

const LINEAR = [enumOf, uniqueItems];

/** Names the place and the rule, never the value: it may be a secret of the run. */
function describe({ instancePath, message, params }: ErrorObject): FieldError {
  const extra: unknown = (params as Record<string, unknown>)['additionalProperty'];
  const named = typeof extra === 'string' ? ` ("${shown(extra)}")` : '';
  return { path: placeOf(instancePath), message: `${message ?? 'is wrong'}${named}` };
}

const shown = (key: string) => (key.length > SHOWN_KEY_MAX_CHARS ? `${key.slice(0, SHOWN_KEY_MAX_CHARS)}…` : key);

/** A JSON pointer, written as paths are in every other error. */
function placeOf(pointer: string): string {
  const segments = pointer
    .split('/')
    .slice(1)
    .map((escaped) => {
      const segment = shown(escaped.replaceAll('~1', '/').replaceAll('~0', '~'));
      return /^(0|[1-9]\d{0,14})$/.test(segment) ? Number(segment) : segment;
    });
  return pathText(segments, 'input');
}
