// Names of users, as the API, the server and svcctl judge them.

export const USER_NAME_PATTERN = /^[A-Za-z0-9._@-]{3,64}$/;

/** The rule that a name of a user breaks, to complete "it …"; undefined for a good one. */
export const userNameProblem = (name: string): string | undefined =>
  USER_NAME_PATTERN.test(name) ? undefined : 'must be 3 to 64 letters, digits, ".", "_", "-" or "@"';
