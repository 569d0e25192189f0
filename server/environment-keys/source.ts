// Where keys of providers may be: nowhere, in the environment of this process, or with the desktop app. A value is read at a person's yes only.
import { providerVariablesIn } from '@svc/shared/environment-keys';

export interface EnvironmentKeySource {
  /** Variables that are set. */
  names(): readonly string[];
  /** Value of one of them; undefined when it is gone. */
  read(variable: string): Promise<string | undefined>;
}

export const NO_KEYS: EnvironmentKeySource = { names: () => [], read: () => Promise.resolve(undefined) };

export const keysOf = (env: Readonly<Record<string, string | undefined>>): EnvironmentKeySource => ({
  names: () => providerVariablesIn(env),
  read: (variable) => Promise.resolve(env[variable]?.trim()),
});
