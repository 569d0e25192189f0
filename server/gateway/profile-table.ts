// Servers that the window can show through this one, with their tokens. In memory only: the desktop app hands them over at each start.
import type { Profile } from '@svc/shared/control';

export interface KnownProfile {
  readonly profile: Profile;
  /** Undefined: the server is reached without one. */
  readonly token: string | undefined;
}

export class ProfileTable {
  readonly #known = new Map<string, KnownProfile>();
  readonly #onChange: (id: string) => void;

  /** `onChange` is called for each profile that was removed, or whose server or token changed. */
  constructor(onChange: (id: string) => void) {
    this.#onChange = onChange;
  }

  get(id: string): KnownProfile | undefined {
    return this.#known.get(id);
  }

  all(): readonly KnownProfile[] {
    return [...this.#known.values()];
  }

  /** Replaces all profiles. A token stays only with the server that it was given for. */
  replace(profiles: readonly Profile[]): void {
    const before = new Map(this.#known);
    this.#known.clear();
    for (const profile of profiles) {
      const old = before.get(profile.id);
      const same = old?.profile.origin === profile.origin && old.profile.fingerprint === profile.fingerprint;
      this.#known.set(profile.id, { profile, token: same ? old.token : undefined });
      if (same) before.delete(profile.id);
    }
    for (const id of before.keys()) this.#onChange(id);
  }

  /** An empty token removes it. Ignores a profile that is not known. */
  setToken(id: string, token: string): void {
    const known = this.#known.get(id);
    const next = token === '' ? undefined : token;
    if (known === undefined || known.token === next) return;
    this.#known.set(id, { ...known, token: next });
    this.#onChange(id);
  }
}
