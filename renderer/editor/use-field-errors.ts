// Problems of a text by the paths of its fields, by the shared rules: what a form shows beside its controls.
import { useMemo } from 'react';
import { checkText } from '../yaml/check-text.ts';
import { useDefinitions } from './use-text-check.ts';
import type { YamlDiagnostic } from './YamlEditor.tsx';

export interface FieldErrorOptions {
  readonly kind: string;
  readonly namespace: string;
  /** Problems that were found elsewhere. Keep their identity. */
  readonly diagnostics?: readonly YamlDiagnostic[];
}

const NONE: readonly YamlDiagnostic[] = [];

/** One message for each path, without the path in front. Empty until the rules are loaded. */
export function useFieldErrors(text: string, { kind, namespace, diagnostics = NONE }: FieldErrorOptions): ReadonlyMap<string, string> {
  const known = useDefinitions();
  return useMemo(() => {
    const messages = new Map<string, string>();
    if (!known) return messages;
    for (const { path, message } of [...checkText(text, { known, namespace, kind }).problems, ...diagnostics]) {
      const words = message.startsWith(`${path} `) ? message.slice(path.length + 1) : message;
      if (path !== '' && !messages.has(path)) messages.set(path, words);
    }
    return messages;
  }, [known, text, namespace, kind, diagnostics]);
}
