// Interface of an identity source: one way for callers to prove their identity. Independent of HTTP and of other sources.
import type { Identity } from '../registry/registry.ts';
import type { StoreReader } from '../store/store.ts';
import type { AuthConfig } from './auth.ts';

/** Secret that a caller presents. */
export type Credential =
  | { readonly type: 'bearer'; readonly token: string }
  | { readonly type: 'password'; readonly username: string; readonly password: string }
  /** Key of a browser sign-in. With `renew` the sign-in gets its full time again, which is written about once an hour. */
  | { readonly type: 'sign_in'; readonly key: string; readonly renew: boolean };

export interface RecognisedCaller {
  readonly identity: Identity;
  /**
   * Reference to the credential that a browser sign-in stores, for the key of that sign-in. A reference to a credential that a person chose must be useless
   * without the key. Absent: the credential cannot be exchanged for a sign-in.
   */
  readonly linkFor?: (key: string) => string;
  /** A sign-in that got its full time again. */
  readonly renewed?: boolean;
}

/**
 * Sources form an ordered list (create-auth.ts). The first source that recognises a credential decides; a credential that none recognises is refused.
 * A source compares secrets in constant time, bounds the work that one attempt costs, and puts no secret into errors, logs or the store.
 */
export interface IdentitySource {
  /** Name of the source in stored sign-ins. Never changes. */
  readonly id: string;
  /** Kinds of the facts in the change log after which callers of open connections are checked again. Each server on the store reads them. */
  readonly revokedBy?: readonly string[];
  /** Whether this source alone turns authentication on; absent: never. Called for each request; once true it stays true. */
  isOn?(): boolean;
  /** Reads from the store whether another process has turned the source on. Called after commits, and at least once a second, while authentication is off. */
  refresh?(): Promise<void>;
  /** Undefined for a credential of another source. Throws `unauthorized` for one that is certainly of this source and is invalid. */
  authenticate(credential: Credential): Promise<RecognisedCaller | undefined>;
  /** Its links resolve with the key of their sign-in only. */
  readonly linksNeedKeys?: true;
  /** Identity that a link of this source stands for now; undefined when the credential behind it is gone. Absent: it has no links. */
  resolve?(link: string, key: string): Promise<Identity | undefined>;
  /** Part of the source in GET /v1/auth/config. */
  config?(): Promise<Partial<AuthConfig>>;
  /** All identities of the source: names are unique over all sources, and the last admin cannot be deleted. */
  principals?(reader: StoreReader): Promise<readonly Identity[]>;
  /** The identity of this exact name, at the cost of a lookup. Present in a source that has `principals`. */
  principal?(reader: StoreReader, name: string): Promise<Identity | undefined>;
}
