// Fields of kinds and their allowed values in words. Pure.

/** A field's name as words, without the mark of a reference: `model_ref` → "Model", `lastSyncedAt` → "Last synced at". */
export function fieldTitle(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim()
    .split(/\s+/)
    .map((word) => WORDS[word.toLowerCase()] ?? (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()));
  const named = words.length > 1 && words.at(-1) === 'ref' ? words.slice(0, -1) : words;
  const text = named.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const ACRONYMS = ['a2a', 'mcp', 'url', 'cli', 'ttl', 'id', 'gpu', 'wasm', 'api', 'http', 'hmac', 'json'];
const WORDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(ACRONYMS.map((each) => [each, each.toUpperCase()])),
  args: 'arguments',
  env: 'environment',
};

/** Values whose names say too little. */
const MEANINGS: Readonly<Record<string, string>> = {
  short_circuit: 'Use the earlier result',
  non_retryable_error: 'End the run',
  observe: 'Record and continue',
  run_llm_again: 'Ask the model again',
  stop_on_first_tool: 'End with the first tool result',
  deadletter: 'Dead-letter the run',
  skip: 'Leave the source out',
  continue_partial: 'Continue with what arrived',
  'gateway-a': 'OpenAI',
  'gateway-b': 'Anthropic',
  'gateway-c': 'Azure OpenAI',
  'local-runtime': 'Ollama',
  'gateway-a-compatible': 'OpenAI compatible',
};

/** An allowed value of a kind's field in words; values that are words already stay as they are. */
export function valueTitle(value: string): string {
  const known = Object.hasOwn(MEANINGS, value) ? MEANINGS[value] : undefined;
  if (known !== undefined || !/^[a-z\d]+(?:_[a-z\d]+)+$/.test(value)) return known ?? value;
  return fieldTitle(value);
}
