// What all fields of a form share.
import type { Json } from '@svc/shared/json';
import { createContext, useContext } from 'react';
import { pathText, type YamlPath } from '../path-text.ts';
import type { JsonSchema } from './json-schema.ts';

export interface FormSettings {
  /** The whole schema, for its `$ref`s. */
  readonly root: JsonSchema;
  /** What the value was before it was edited; undefined when nothing is compared. */
  readonly original: { readonly value: Json } | undefined;
  /** Messages by path text. */
  readonly errors: ReadonlyMap<string, string>;
  readonly readOnly: boolean;
}

export const FormContext = createContext<FormSettings>({ root: {}, original: undefined, errors: new Map(), readOnly: false });

export function useForm(): FormSettings {
  return useContext(FormContext);
}

/** The message of a path, if there is one. */
export function useFieldError(path: YamlPath): string | undefined {
  return useForm().errors.get(pathText(path));
}

export interface PartProps {
  readonly schema: JsonSchema;
  /** Undefined: the part is absent. */
  readonly value: Json | undefined;
  /** With `undefined` the part is taken out. */
  readonly onChange: (value: Json | undefined) => void;
  readonly path: YamlPath;
  readonly name: string;
  readonly required: boolean;
}
