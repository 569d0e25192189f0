// Input that a reviewer writes in place of the agent's: its content, its differences, and why it cannot be approved.
import type { FieldError } from '@svc/shared/errors';
import { isObject, type Json, type JsonObject } from '@svc/shared/json';
import { useMemo, useState } from 'react';
import { editsBetween, type Edit } from './edits.ts';
import { useApprovalDraft } from './use-approval-draft.ts';

export interface InputDraft {
  readonly original: JsonObject;
  readonly value: Json;
  readonly setValue: (value: Json) => void;
  readonly edits: readonly Edit[];
  readonly setErrors: (errors: readonly FieldError[]) => void;
  readonly problem: string | undefined;
  readonly reset: () => void;
}

const NOTHING: JsonObject = {};

/** `uid`: of the approval. */
export function useInputDraft(uid: string, recorded: JsonObject | undefined): InputDraft {
  const original = recorded ?? NOTHING;
  const [written, setWritten] = useApprovalDraft<Json | undefined>(uid, 'input', undefined);
  const [errors, setErrors] = useState<readonly FieldError[]>([]);
  const value = written ?? original;
  const edits = useMemo(() => editsBetween(original, value), [original, value]);
  const reset = () => {
    setWritten(undefined);
    setErrors([]);
  };
  return { original, value, setValue: setWritten, edits, setErrors, problem: problemOf(value, errors), reset };
}

function problemOf(value: Json, [first, ...more]: readonly FieldError[]): string | undefined {
  if (first)
    return `${first.path === '' ? 'Your input' : first.path} ${first.message}${more.length === 0 ? '' : `, and ${more.length} more`}.`;
  return isObject(value) ? undefined : 'The input must be a JSON object.';
}
