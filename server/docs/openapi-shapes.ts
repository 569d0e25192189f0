// The parts of the OpenAPI document that the reference page reads, and schemas in words.
import { code } from './markdown.ts';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: string | number | boolean;
  readonly default?: string | number | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}
type Content = Readonly<Record<string, { readonly schema: Schema }>>;
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly required?: boolean;
  readonly schema: Schema;
}
interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Content;
}
export interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly description: string; readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}
export interface Document {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

/** The name that a `$ref` ends in. */
export const lastPart = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

/** A schema's type in a few words, `[]Agent`. */
export function typeText(schema: Schema): string {
  if (schema.$ref) return lastPart(schema.$ref);
  if (schema.oneOf) return schema.oneOf.map(typeText).join(' or ');
  if (schema.type === 'array') return `[]${typeText(schema.items ?? {})}`;
  const { items, continue: cursor } = schema.properties ?? {};
  if (items && cursor) return `{"items": ${typeText(items)}, "continue"?}`;
  return schema.type ?? 'any';
}

/** Describes the values that a schema allows, as sentences. */
export function schemaNotes(schema: Schema): string {
  const notes = [
    schema.enum ? `One of ${schema.enum.map((value) => code(String(value))).join(', ')}.` : '',
    schema.const === undefined ? '' : `Always ${code(String(schema.const))}.`,
    schema.minimum === undefined ? '' : `At least ${schema.minimum}.`,
    schema.maximum === undefined ? '' : `At most ${schema.maximum}.`,
    schema.default === undefined ? '' : `Default ${code(String(schema.default))}.`,
  ];
  return notes.filter((note) => note !== '').join(' ');
}
