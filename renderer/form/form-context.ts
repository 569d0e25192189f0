// Context shared by all fields of a form.
import type { Json } from '@svc/shared/json';
import { createContext, useContext, type ComponentType, type ReactNode } from 'react';
import { pathText } from '@svc/shared/path-text';
import type { YamlPath } from '../yaml/path-text.ts';
import type { JsonSchema } from './json-schema.ts';

export interface ReferenceFieldProps {
  readonly kind: string;
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
}

/** Controls beside the name of another object, such as one that creates it. */
export type BesideReference = (reference: ReferenceFieldProps) => ReactNode;

export interface FormSettings {
  /** Draws a part by its schema. In the context, because groups draw parts, which draw groups. */
  readonly Part: ComponentType<PartProps>;
  /** The whole schema, for its `$ref`s. */
  readonly root: JsonSchema;
  /** The value before it was edited; undefined when nothing is compared. */
  readonly original: { readonly value: Json } | undefined;
  /** Messages by path text. */
  readonly errors: ReadonlyMap<string, string>;
  readonly readOnly: boolean;
  /** Names of objects of a kind, for fields of the format `ref:Kind`; without it such fields are plain text. */
  readonly namesOf?: (kind: string, text: string, signal: AbortSignal) => Promise<readonly { readonly value: string }[]>;
  readonly besideReference?: BesideReference | undefined;
  /** Value at a path, for fields that depend on another one. */
  readonly valueAtPath?: (path: YamlPath) => Json | undefined;
  /** Length of the path to the root of the form. */
  readonly depth: number;
}

export const FormContext = createContext<FormSettings | undefined>(undefined);

export function useForm(): FormSettings {
  const form = useContext(FormContext);
  if (!form) throw new Error('a field is rendered outside of a form');
  return form;
}

/** The message of a path, if there is one. */
export function useFieldError(path: YamlPath): string | undefined {
  return useForm().errors.get(pathText(path));
}

export interface PartProps {
  readonly schema: JsonSchema;
  /** Undefined: the part is absent. */
  readonly value: Json | undefined;
  /** With `undefined` the part is removed. */
  readonly onChange: (value: Json | undefined) => void;
  readonly path: YamlPath;
  readonly name: string;
  readonly required: boolean;
  /** Removes the part by a button of its own, for parts that must not vanish as soon as they are empty. */
  readonly onRemove?: (() => void) | undefined;
}
