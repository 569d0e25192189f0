// Whether a part of a value differs from the original, and its reset.
import { jsonEquals, type Json } from '@svc/shared/json';
import type { YamlPath } from '../yaml/path-text.ts';
import { useForm } from './form-context.ts';
import { valueAt } from './value-at.ts';

export interface Edited {
  readonly edited: boolean;
  readonly original: Json | undefined;
}

export function useEdited(path: YamlPath, value: Json | undefined): Edited {
  const { original } = useForm();
  if (!original) return { edited: false, original: undefined };
  const before = valueAt(original.value, path);
  const same = before === undefined || value === undefined ? before === value : jsonEquals(before, value);
  return { edited: !same, original: before };
}
