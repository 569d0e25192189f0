// The error of every call of a tool whose input_schema breaks the rules of JSON Schema, known at its write.
import type { CallError, InputTool } from '../engine/ports.ts';
import { schemaProblem } from './compiled-schema.ts';
import { invalidTool } from './tool-settings.ts';

/** Longer schemas are judged at their first call, in a thread. */
const JUDGED_MAX_CHARS = 16 * 1024;

/** Undefined where nothing is wrong, or not known yet. */
export function schemaError(tool: InputTool): CallError | undefined {
  const { input_schema: schema } = tool.spec;
  if (schema === undefined || JSON.stringify(schema).length > JUDGED_MAX_CHARS) return undefined;
  const problem = schemaProblem(schema);
  return problem === undefined ? undefined : invalidTool(tool, `spec.input_schema is not a usable JSON Schema: ${problem}`);
}
