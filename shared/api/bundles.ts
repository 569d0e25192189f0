// Review of a bundle before it is imported, as the server answers it.
import type { BundleManifest, BundleSecret } from '../bundle/bundle.ts';

/** Effect of an import on one object. */
export type BundleAction = 'created' | 'configured' | 'unchanged';

export interface ReviewedObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly action: BundleAction;
  /** The object as it is stored, without what the server owns; absent for a new one. */
  readonly current?: Readonly<Record<string, unknown>>;
  /** The object as the import writes it. */
  readonly next: Readonly<Record<string, unknown>>;
  readonly warnings?: readonly string[];
}

export interface ReviewedSecret extends BundleSecret {
  /** Name that the objects get here. */
  readonly mappedTo: string;
  /** Whether a Secret of that name is stored. */
  readonly exists: boolean;
}

export interface BundleReview {
  readonly name: string;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly source: BundleManifest['spec']['source'];
  readonly signer: {
    readonly keyId: string;
    /** `own`: this server wrote the bundle. `unknown`: an import has to name the key. */
    readonly standing: 'own' | 'unknown';
  };
  readonly objects: readonly ReviewedObject[];
  readonly secrets: readonly ReviewedSecret[];
  /** References that lead nowhere after the import, one sentence each. */
  readonly missing: readonly string[];
  /** Names what was reviewed: an import with it is refused when anything has changed since. */
  readonly review: string;
}
