// Response headers of a write: the registry's warnings, and a note on objects that a CRD manages.
import type { WriteResult } from '../../registry/registry.ts';

const WARNING_MAX_CHARACTERS = 320;
/** Characters of all Warning headers of an answer: clients of Node accept a head of 16 KiB. */
const ALL_MAX_CHARACTERS = 4 * 1024;
const NAME_CHARACTERS = 'Warning: \r\n'.length;
/** More never fit. */
const WRITTEN_MAX = 250;

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
  return { Warning: sentences.map((sentence, index) => (index < WRITTEN_MAX ? warningValue(sentence) : '')) };
}

/** As many as fit, and one with the number of the others. */
export function fittingWarnings(warnings: readonly string[]): readonly string[] {
  let characters = 0;
  const cut = warnings.findIndex((warning) => (characters += NAME_CHARACTERS + warning.length) > ALL_MAX_CHARACTERS);
  return cut < 0 ? warnings : [...warnings.slice(0, cut), warningValue(`and ${warnings.length - cut} more`)];
}

export function writeHeaders(result: Partial<Pick<WriteResult, 'warnings' | 'crdManaged'>>): Record<string, string | string[]> {
  return {
    ...warningHeaders(result.warnings ?? []),
    ...(result.crdManaged && { 'X-Svc-CRD-Managed': 'this object is managed by a CRD; its controller may undo this change' }),
  };
}
