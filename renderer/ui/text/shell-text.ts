// Texts as words of a POSIX shell. Pure.

/** One word, whatever it holds. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The token is read from the environment and is never part of the copied text. */
export const TOKEN_HEADER = `\${SVCCTL_API_TOKEN:+-H "authorization: Bearer $SVCCTL_API_TOKEN"}`;
