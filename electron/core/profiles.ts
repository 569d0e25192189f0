// Profiles of servers that the window can show besides the local one. Tokens are sealed by the keychain and never listed.
import { PROFILES_MAX, type Profile, type ProfileTest } from '@svc/shared/control';
import type { ListedProfile, ProfileDraft } from '@svc/shared/desktop-api';
import { openToken, sealToken, type Keychain } from './secrets.ts';
import type { Settings, SettingsStore } from './settings.ts';

export interface ProfilesOptions {
  readonly settings: SettingsStore;
  readonly keychain: Keychain;
  /** Hands a token to the server, which adds it to requests. */
  readonly onToken: (id: string, token: string) => void;
  /** Hands all profiles to the server, before the token of a new one. */
  readonly onProfiles: (profiles: readonly Profile[]) => void;
  /** Check of a server by the gateway, which sends the stored token where none is given. */
  readonly check: (profile: Profile, token: string | undefined) => Promise<ProfileTest>;
}

type StoredProfile = Settings['profiles'][number];
const withoutToken = ({ sealedToken: _sealed, ...profile }: StoredProfile): Profile => profile;

export class Profiles {
  readonly #options: ProfilesOptions;

  constructor(options: ProfilesOptions) {
    this.#options = options;
  }

  list(): ListedProfile[] {
    const { profiles, selectedProfile } = this.#options.settings.get();
    return profiles.map((each) => ({ ...withoutToken(each), hasToken: each.sealedToken !== null, selected: each.id === selectedProfile }));
  }

  /** As the server gets them at its start. */
  all(): Profile[] {
    return this.#options.settings.get().profiles.map(withoutToken);
  }

  /** Creates or replaces a profile. Without a token the stored one is kept, unless origin or pinned certificate differ: a token must not reach another server. */
  save({ token, ...profile }: ProfileDraft): void {
    const { settings, keychain, onToken } = this.#options;
    const { profiles } = settings.get();
    const before = profiles.find(({ id }) => id === profile.id);
    const isSameServer = before?.origin === profile.origin && before.fingerprint === profile.fingerprint;
    const kept = isSameServer ? before.sealedToken : null;
    const sealed = token === undefined ? kept : sealToken(keychain, token);
    if (before === undefined && profiles.length >= PROFILES_MAX)
      throw new Error(`The app keeps at most ${PROFILES_MAX} servers: remove one first`);
    if (sealed === undefined) throw new Error('This system has no keychain that keeps the token secret: the profile was not saved');
    settings.update({ profiles: [...profiles.filter(({ id }) => id !== profile.id), { ...profile, sealedToken: sealed }] });
    this.#options.onProfiles(this.all());
    if (token !== undefined) onToken(profile.id, token);
  }

  /** Returns whether it was the selected one; the server of this machine is selected then. */
  remove(id: string): boolean {
    const { profiles, selectedProfile } = this.#options.settings.get();
    const wasSelected = selectedProfile === id;
    this.#options.settings.update({
      profiles: profiles.filter((each) => each.id !== id),
      ...(wasSelected && { selectedProfile: null }),
    });
    this.#options.onProfiles(this.all());
    return wasSelected;
  }

  has(id: string): boolean {
    return this.#options.settings.get().profiles.some((each) => each.id === id);
  }

  select(id: string | null): void {
    if (id !== null && !this.has(id)) throw new Error(`There is no profile "${id}"`);
    this.#options.settings.remember({ selectedProfile: id });
  }

  /** After each start of the server. A token that the keychain does not open is left out: the server then answers 401 for it. */
  sendTokens(): void {
    for (const { id, sealedToken } of this.#options.settings.get().profiles) {
      const token = sealedToken === null ? undefined : openToken(this.#options.keychain, sealedToken);
      if (token !== undefined) this.#options.onToken(id, token);
    }
  }

  /** Checks the server of a draft, with its token. */
  test({ token, ...profile }: ProfileDraft): Promise<ProfileTest> {
    return this.#options.check(profile, token);
  }

  /** Path of the page that the window shows first. */
  home(): string {
    const { selectedProfile } = this.#options.settings.get();
    return selectedProfile === null ? '/' : `/p/${selectedProfile}/`;
  }
}
