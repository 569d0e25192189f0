// Examples at the end of a help page, of svcd and svcctl alike.

/** Text for `addHelpText`; empty without examples. */
export function helpExamples(commandLines: readonly string[]): string {
  return commandLines.length === 0 ? '' : `\nExamples:\n${commandLines.map((line) => `  ${line}`).join('\n')}`;
}
