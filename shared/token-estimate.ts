// Token estimates for texts whose provider has not counted them. Shown as estimates, never billed. Pure.

/** The usual rule of thumb for English text. */
const CHARS_PER_TOKEN = 4;

export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}
