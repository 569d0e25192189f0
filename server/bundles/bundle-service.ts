// Port of bundles: an agent system written as one signed file, reviewed and imported on another server.
import type { BundleReview } from '@svc/shared/api/bundles';
import type { NamespacedName } from '@svc/shared/resource';
import type { ApplyResult, RequestContext } from '../registry/registry.ts';

export interface ImportRequest {
  /** Parsed documents of the file: the signed list first. */
  readonly documents: readonly unknown[];
  /** Where objects without a namespace go. */
  readonly namespace: string;
  /** Names of Secrets here by their names in the bundle; others keep theirs. */
  readonly secrets: Readonly<Record<string, string>>;
}

export interface ConfirmedImport extends ImportRequest {
  /** Key id of a signer that is not this server itself. */
  readonly signer?: string | undefined;
  /** `review` of the review that a person has seen; absent: the present objects are replaced. */
  readonly review?: string | undefined;
}

/** Every call is made as the caller: roles and the authorizer hold for each object. Rejects with `invalid` for a bundle that is damaged or forged. */
export interface BundleService {
  /** The file as YAML. `not_found` for an unknown system, `unavailable` when this server cannot sign. */
  write(context: RequestContext, system: NamespacedName): Promise<string>;
  /** Writes nothing. */
  review(context: RequestContext, request: ImportRequest): Promise<BundleReview>;
  /** One transaction. `conflict` for an unknown signer that is not named, and when something changed since the review. */
  import(context: RequestContext, request: ConfirmedImport): Promise<readonly ApplyResult[]>;
}
