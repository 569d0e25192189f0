// Queries of the registry beside single objects and pages: counts, searches by name, and references in both directions.
// Every answer is read from index ranges; none loads a kind.
import type { Reference } from '@svc/shared/kinds/define';
import type { Resource, ResourceKey } from '@svc/shared/resource';
import type { FieldRequirement, LabelRequirement } from '../store/store.ts';
import type { RequestContext } from './registry.ts';

export interface CountRequest {
  readonly kind: string;
  /** Absent: every namespace. */
  readonly namespace?: string;
  readonly labels?: readonly LabelRequirement[];
  /** The kind's own `fieldSelectors`, as in lists. */
  readonly fields?: readonly FieldRequirement[];
  /** Counting stops here, 1 to 10,000. Default 10,000. */
  readonly max?: number;
}

export interface Count {
  readonly count: number;
  /** True when counting stopped early: there are at least `count`. */
  readonly more: boolean;
}

export interface SearchRequest {
  /** Part of a name. `Agent:plan` (any word for the kind) looks in one kind, `team-a/plan` in one namespace. */
  readonly text: string;
  /** Absent: every namespace. A namespace in the text wins. */
  readonly namespace?: string;
  /** 1 to 50. */
  readonly limit: number;
}

export interface SearchHit extends ResourceKey {
  readonly phase?: string;
  /** `status.reason`, of kinds that are selected by it. */
  readonly reason?: string;
}

/** A page of referrers or of versions. */
export interface RecordsRequest {
  /** `continue` of the page before. */
  readonly after?: string;
  /** 1 to 1000. */
  readonly limit: number;
}

/** An object whose spec refers to another one. */
export interface Referrer extends ResourceKey {
  /** Paths of its references: `spec.model_ref`, `spec.tools[2]`. */
  readonly paths: readonly string[];
}

export interface ReferrersPage {
  readonly items: readonly Referrer[];
  readonly continue?: string;
  /** True while objects written before an upgrade are still being indexed: some referrers may be missing. */
  readonly incomplete: boolean;
}

export interface OutgoingReference extends Reference {
  /** Whether the object it names exists now. */
  readonly exists: boolean;
}

/** A spec that an object has or had, without the spec itself. Named as the metadata of objects. */
export interface VersionSummary {
  readonly generation: number;
  /** Time of the write of this spec. */
  readonly createdAt: string;
  readonly createdBy?: string;
  /** Absent for the current spec. */
  readonly replacedAt?: string;
}

export interface Version extends VersionSummary {
  readonly spec: Resource['spec'];
}

export interface VersionsPage {
  readonly items: readonly VersionSummary[];
  readonly continue?: string;
}

/** All methods need role `reader` and reject with ServiceError. */
export interface RegistryQueries {
  count(context: RequestContext, request: CountRequest): Promise<Count>;
  /**
   * Best first: the exact name, names that begin with the text, then (of the newest 1,000 of each kind) names with a word that begins with it and
   * names that contain it; among equals definitions come before Workers, Tasks and approvals. Case is ignored, but for exact names and beginnings
   * within one namespace. An empty text finds nothing.
   */
  search(context: RequestContext, request: SearchRequest): Promise<readonly SearchHit[]>;
  /** Objects of any kind that refer to `key`, even when it does not exist; grouped by kind, in the order of their pages. */
  referrers(context: RequestContext, key: ResourceKey, request: RecordsRequest): Promise<ReferrersPage>;
  /** Specs of an object, the current one first, then the kept ones by generation. Throws `not_found` when the object does not exist, `invalid` for a kind without versions. */
  versions(context: RequestContext, key: ResourceKey, request: RecordsRequest): Promise<VersionsPage>;
  /** One of them, redacted as the object is. Throws `not_found` also for a generation that is not kept. */
  version(context: RequestContext, key: ResourceKey, generation: number): Promise<Version>;
  /** References of an object. Throws `not_found` when it does not exist. */
  relations(context: RequestContext, key: ResourceKey): Promise<{ readonly outgoing: readonly OutgoingReference[] }>;
}
