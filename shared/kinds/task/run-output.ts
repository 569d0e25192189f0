// Answer and tokens of a run, read from the texts of `status.output` or of the entry that ends it. Pure.
// The console's first screen loads this: it imports no schema.

export interface RunOutput {
  readonly answer: string | undefined;
  /** Agent that gave the answer. */
  readonly agent: string | undefined;
  readonly tokens: number | undefined;
}

/** Each value is undefined before the end, and where the text has another type. */
export function runOutput(texts: Readonly<Record<string, string>> | undefined): RunOutput {
  const { last_output: answer, last_agent, tokens_used_total } = texts ?? {};
  const tokens = Number(tokens_used_total);
  return { answer, agent: last_agent === '' ? undefined : last_agent, tokens: tokens >= 0 && Number.isFinite(tokens) ? tokens : undefined };
}
