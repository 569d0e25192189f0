// Takes the token of a call out of what its model says: an answer may repeat what it was sent, and it is shown and recorded.
import { redact, secretForms } from '../egress/redact.ts';
import type { ModelResponse, ProviderState } from '../engine/ports.ts';

/** Shorter tokens are left alone: they could be words of the answer. */
const TOKEN_MIN_CHARS = 8;

const HIGH_SURROGATE = /[\ud800-\udbff]$/;

/** The response with the tokens taken out wherever the other side chose the words. */
export function withoutSecrets(response: ModelResponse, secrets: readonly string[]): ModelResponse {
  const tokens = longTokens(secrets);
  if (tokens.length === 0) return response;
  const clean = cleaner(tokens, secretForms(tokens));
  return {
    ...response,
    content: clean(response.content),
    toolCalls: response.toolCalls.map(({ id, name, arguments: input }) => ({ id: clean(id), name: clean(name), arguments: clean(input) })),
    finishReason: clean(response.finishReason),
    model: clean(response.model),
    ...(response.providerState && { providerState: JSON.parse(clean(JSON.stringify(response.providerState))) as ProviderState }),
  };
}

export interface CleanDeltas {
  push(text: string): void;
  /** Passes on what is left; at the end of an answer that succeeded. */
  flush(): void;
}

/** The same for text that arrives in pieces. What could be the beginning of a token, or is an unpaired surrogate, waits for the next piece. */
export function cleanDeltas(onDelta: (text: string) => void, secrets: readonly string[]): CleanDeltas {
  const tokens = longTokens(secrets);
  const forms = secretForms(tokens);
  const longer = forms.filter((form) => forms.some((other) => other !== form && form.startsWith(other)));
  const clean = cleaner(tokens, forms);
  let held = '';
  const pass = (text: string) => {
    if (text !== '') onDelta(text);
  };
  return {
    push(piece) {
      const joined = held + piece;
      const growing = joined.length - growingEnd(joined, { forms, longer });
      const text = clean(joined.slice(0, growing));
      const open = text.length - openEnd(text, forms);
      held = text.slice(open) + joined.slice(growing);
      pass(text.slice(0, open));
    },
    flush() {
      pass(clean(held));
      held = '';
    },
  };
}

/** How many characters at the end are a token already and may yet become a longer writing of it, which must not lose its beginning. */
function growingEnd(text: string, { forms, longer }: { forms: readonly string[]; longer: readonly string[] }): number {
  const isWriting = (end: string) => forms.some((form) => end.startsWith(form));
  const lengths = longer.map((form) => overlap(text, form)).filter((length) => isWriting(text.slice(text.length - length)));
  return Math.max(0, ...lengths);
}

/** How many characters at the end may not be passed on yet. */
function openEnd(text: string, forms: readonly string[]): number {
  const half = HIGH_SURROGATE.test(text) ? 1 : 0;
  return forms.reduce((most, form) => Math.max(most, overlap(text, form)), half);
}

/** The longest beginning of `form` that `text` ends with. */
function overlap(text: string, form: string): number {
  const end = text.at(-1);
  for (let length = Math.min(form.length - 1, text.length); length > 0; length -= 1) {
    if (form[length - 1] === end && text.endsWith(form.slice(0, length))) return length;
  }
  return 0;
}

/** Redaction computes all forms each time; most texts hold none. */
function cleaner(tokens: readonly string[], forms: readonly string[]): (text: string) => string {
  return (text) => (forms.some((form) => text.includes(form)) ? redact(text, tokens) : text);
}

function longTokens(secrets: readonly string[]): string[] {
  return secrets.filter(({ length }) => length >= TOKEN_MIN_CHARS);
}
