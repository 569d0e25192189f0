// Rule of a new password, which is typed twice. Pure.

/** The server refuses shorter ones. */
export const PASSWORD_CHARS_MIN = 12;

export interface NewPassword {
  readonly next: string;
  readonly again: string;
}

export function newPasswordProblem({
  next,
  again,
}: NewPassword): { readonly field: keyof NewPassword; readonly message: string } | undefined {
  if ([...next].length < PASSWORD_CHARS_MIN) return { field: 'next', message: `At least ${PASSWORD_CHARS_MIN} characters.` };
  return next === again ? undefined : { field: 'again', message: 'The two passwords differ.' };
}
