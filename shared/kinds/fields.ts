// Field builders for kind schemas: each carries its description and, where the rules demand a value, the `required` mark.
// Structural checks only (types); each kind's rules state the allowed values.
import { z } from 'zod';

/** Schema metadata read by explain, docs, OpenAPI and the required-field check. */
export interface FieldMeta {
  description: string;
  /** The field must be present and non-empty; checked by rules, so that all problems are reported at once. */
  required?: boolean;
  /** Default as shown in docs; applied by normalize. */
  defaultText?: string;
  /** Allowed values as shown in docs and completion; enforced by rules after normalisation. */
  values?: readonly string[];
  /** `duration`, `cron`, `secret`, `ref:Secret`, …: what an editor may complete. */
  format?: string;
}

type Extra = Omit<FieldMeta, 'description' | 'required'>;

/** A required, non-empty string; absent becomes `''`, which the rules reject by name. */
export const requiredText = (description: string, extra: Extra = {}) =>
  z
    .string()
    .default('')
    .meta({ description, required: true, ...extra });
/** An optional field with its description. */
const optional = <T extends z.ZodType>(schema: T, description: string, extra: Extra & Pick<FieldMeta, 'required'> = {}) =>
  schema.optional().meta({ description, ...extra });

export const text = (description: string, extra?: Extra) => optional(z.string(), description, extra);
/** An optional Go-style duration (`30s`, `10m`, `1h30m`); whether it parses is checked by rules. */
export const duration = (description: string, extra?: Extra) => text(description, { format: 'duration', ...extra });
export const integer = (description: string, extra?: Extra) => optional(z.int(), description, extra);
/** An integer that must be there. */
export const requiredInteger = (description: string, extra?: Extra) => optional(z.int(), description, { required: true, ...extra });
export const number = (description: string) => optional(z.number(), description);
export const flag = (description: string, extra?: Extra) => optional(z.boolean(), description, extra);
export const names = (description: string, extra?: Extra) => optional(z.array(z.string()), description, extra);
export const textMap = (description: string, extra?: Extra) => optional(z.record(z.string(), z.string()), description, extra);
export const anyObject = (description: string) => optional(z.record(z.string(), z.unknown()), description);
/** A nested object; unknown keys are reported by path. */
export const group = <S extends z.ZodRawShape>(description: string, shape: S) => optional(z.strictObject(shape), description);
export const listOf = <T extends z.ZodType>(description: string, item: T, extra?: Extra) => optional(z.array(item), description, extra);
export const mapOf = <T extends z.ZodType>(description: string, item: T) => optional(z.record(z.string(), item), description);

/** The status fields every kind has unless it says otherwise. */
export const commonStatus = {
  phase: z.string().meta({ description: 'Lifecycle phase.' }),
  lastError: z.string().optional().meta({ description: 'The last error, in one sentence.' }),
  observedGeneration: z.int().optional().meta({ description: 'The spec generation last acted on.' }),
};
