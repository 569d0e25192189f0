// Checks a call's input against the tool's input_schema. A schema is compiled once; what the model sent wrongly comes back as a typed error it can react to.
import { createHash } from 'node:crypto';
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { FieldError } from '@svc/shared/errors';
import { canonicalJson, isObject, type JsonObject } from '@svc/shared/json';
import { linearRegExp } from '@svc/shared/linear-regexp';
import { CallError, type ToolRef } from '../engine/ports.ts';
import { toolTitle } from './runtime.ts';
import { invalidTool } from './tool-settings.ts';

const SCHEMA_MAX_CHARS = 256 * 1024;
const COMPILED_MAX = 500;
const SHOWN_ERRORS_MAX = 5;

export interface InputCheck {
  /** CallError `invalid_input` for a bad input, `runtime_policy_invalid` for a schema that is none; undefined for an input that fits. */
  (tool: ToolRef, input: JsonObject): CallError | undefined;
}

export function createInputCheck(): InputCheck {
  const bySchema = new WeakMap<object, ValidateFunction>();
  const byHash = new Map<string, ValidateFunction>();

  const compiled = (tool: ToolRef, schema: Record<string, unknown>): ValidateFunction => {
    const known = bySchema.get(schema);
    if (known) return known;
    const text = canonicalJson(schema);
    if (text.length > SCHEMA_MAX_CHARS) throw invalidTool(tool, `spec.input_schema is longer than ${SCHEMA_MAX_CHARS} characters`);
    const hash = createHash('sha256').update(text).digest('base64');
    const validate = byHash.get(hash) ?? compile(tool, schema);
    bySchema.set(schema, validate);
    byHash.set(hash, validate);
    if (byHash.size > COMPILED_MAX) byHash.delete(byHash.keys().next().value ?? '');
    return validate;
  };

  const check = (tool: ToolRef, input: JsonObject): CallError | undefined => {
    const schema = tool.spec['input_schema'];
    if (schema === undefined || schema === null) return undefined;
    if (!isObject(schema)) throw invalidTool(tool, 'spec.input_schema must be an object');
    if (Object.keys(schema).length === 0) return undefined;
    const validate = compiled(tool, schema);
    if (validate(input) === true) return undefined;
    const problems = (validate.errors ?? []).slice(0, SHOWN_ERRORS_MAX).map(describe);
    const told = problems.map(({ path, message }) => `${path} ${message}`).join('; ');
    return new CallError('invalid_input', `the input does not fit the schema of ${toolTitle(tool)}: ${told}`, {
      retryable: false,
      reason: 'schema_mismatch',
      problems,
    });
  };
  return (tool, input) => {
    try {
      return check(tool, input);
    } catch (error) {
      if (error instanceof CallError) return error;
      throw error;
    }
  };
}

function compile(tool: ToolRef, schema: Record<string, unknown>): ValidateFunction {
  try {
    // A fresh instance each time: schemas of different tools may share an $id.
    const ajv = newAjv(schema['$schema']);
    ajvFormats.default(ajv);
    return ajv.compile(schema);
  } catch (error) {
    throw invalidTool(tool, `spec.input_schema is not a usable JSON Schema: ${error instanceof Error ? error.message : 'unknown problem'}`);
  }
}

/** Schemas come from tools' authors and inputs from models: together they must not find a pattern that never ends. */
const regExp = Object.assign((pattern: string) => linearRegExp(pattern), { code: 'linearRegExp' });

function newAjv(dialect: unknown): Ajv {
  const options: Options = { strict: false, allErrors: true, logger: false, code: { regExp } };
  const name = typeof dialect === 'string' ? dialect : '';
  if (name.includes('2020-12')) return new Ajv2020(options);
  return name.includes('2019-09') ? new Ajv2019(options) : new Ajv(options);
}

/** Names the place and the rule, never the value: it may be a secret of the run. */
function describe({ instancePath, message, params }: ErrorObject): FieldError {
  const extra: unknown = (params as Record<string, unknown>)['additionalProperty'];
  const named = typeof extra === 'string' ? ` ("${extra}")` : '';
  return { path: placeOf(instancePath), message: `${message ?? 'is wrong'}${named}` };
}

/** A JSON pointer, written as paths are in every other error. */
function placeOf(pointer: string): string {
  const segments = pointer.split('/').slice(1);
  return segments.reduce((text, escaped) => {
    const segment = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    if (/^\d+$/.test(segment)) return `${text}[${segment}]`;
    return /^[A-Za-z_][\w-]*$/.test(segment) ? `${text}.${segment}` : `${text}[${JSON.stringify(segment)}]`;
  }, 'input');
}
