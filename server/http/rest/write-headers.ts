// Response headers of a write: the registry's warnings, and a note on objects that a CRD manages.
import type { WriteResult } from '../../registry/registry.ts';

/** Response heads stay well below what clients accept; past this, a last warning says how many more there are. */
const WARNINGS_MAX = 20;
const WARNING_MAX_CHARACTERS = 320;

/** RFC 7234 warn-value: code 299, no agent, quoted text. */
function warningValue(sentence: string): string {
  const shown = sentence.length > WARNING_MAX_CHARACTERS ? `${sentence.slice(0, WARNING_MAX_CHARACTERS)}…` : sentence;
  return `299 - "${shown
    .replaceAll('…', '...')
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .replaceAll(/["\\]/g, '\\$&')}"`;
}

export function warningHeaders(sentences: readonly string[]): Record<string, string[]> {
  if (sentences.length === 0) return {};
  const more = sentences.length - WARNINGS_MAX;
  const shown = more > 0 ? [...sentences.slice(0, WARNINGS_MAX), `and ${more} more`] : sentences;
  return { Warning: shown.map(warningValue) };
}

/** Characters of all warnings of an answer: many clients accept a head of 16 KiB. */
const ALL_MAX_CHARACTERS = 8 * 1024;

/** As many as fit, and one that reports the rest. */
export function fittingWarnings(warnings: readonly string[]): readonly string[] {
  let characters = 0;
  const cut = warnings.findIndex((warning) => (characters += warning.length) > ALL_MAX_CHARACTERS);
  return cut < 0 ? warnings : [...warnings.slice(0, cut), warningValue('further warnings are left out')];
}

export function writeHeaders(result: Partial<Pick<WriteResult, 'warnings' | 'crdManaged'>>): Record<string, string | string[]> {
  return {
    ...warningHeaders(result.warnings ?? []),
    ...(result.crdManaged && { 'X-Svc-CRD-Managed': 'this object is managed by a CRD; its controller may undo this change' }),
  };
}
