// The one path through which resources are read and written: authorise → normalise → validate → admit → write → change record.
// Every surface (REST, later tRPC, sessions, triggers) goes through this interface.
import type { Reference } from '@svc/shared/kinds/define';
import type { Resource, ResourceKey } from '@svc/shared/resource';
import type { PageCursor } from './cursor.ts';
import type { RegistryQueries } from './queries.ts';
import type { FieldRequirement, LabelRequirement, StoreTransaction } from '../store/store.ts';

export type Role = 'reader' | 'approver' | 'writer' | 'admin' | 'a2a';

export interface Identity {
  /** `system`: a part of the service. */
  readonly method: 'none' | 'session' | 'bearer' | 'system';
  readonly name: string;
  readonly role: Role;
  /** For role `a2a`: the systems it may invoke. */
  readonly a2aAgentSystems?: readonly string[];
}

/** Caller of an operation. Internal callers use an identity of `partIdentity`. */
export interface RequestContext {
  readonly identity: Identity;
  readonly requestId: string;
}

export const systemContext: RequestContext = { identity: { method: 'none', name: 'system', role: 'admin' }, requestId: 'system' };

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

export interface WriteRequest {
  readonly kind: string;
  /** The parsed body; anything until it is checked. */
  readonly body: unknown;
  /** The effective namespace; a differing `metadata.namespace` in the body is `invalid`. */
  readonly namespace: string;
  readonly dryRun?: boolean;
  /** Default `Warn`. */
  readonly fieldValidation?: FieldValidation;
  /** Raw `If-Match` header: bare, quoted or `W/` form; wins over the body's version. */
  readonly ifMatch?: string;
  /** Raw `If-None-Match` header; only `*` is understood (create-only). */
  readonly ifNoneMatch?: string;
  /** Set by the service's own writers, never from a request. */
  readonly repeats?: RepeatedObject;
  /** Further principals that count as creators of a new object, such as those of the object that caused it. Set by the service's own writers, never from a request. */
  readonly alsoBy?: readonly string[];
}

/** Object that a new one repeats, as a retry does. */
export interface RepeatedObject extends ResourceKey {
  readonly generation: number;
}

export interface NamedWriteRequest extends WriteRequest {
  /** From the path; a differing `metadata.name` in the body is `invalid`. */
  readonly name: string;
  /** Write only to the object of this uid; a different object of that name is `conflict`. */
  readonly uid?: string;
}

interface RemoveRequest extends ResourceKey {
  readonly dryRun?: boolean;
  /** Delete only this version; any other version is `conflict`. */
  readonly resourceVersion?: string;
  /** Versions as If-Match names them; `resourceVersion` wins over it. */
  readonly ifMatch?: string;
  /** Delete only the object of this uid, at whatever version; a different object of that name is `conflict`. */
  readonly uid?: string;
}

export type WriteAction = 'created' | 'configured' | 'unchanged';

/** One state of one object. */
interface ObjectVersion {
  readonly uid: string;
  readonly resourceVersion: string;
}

export interface WriteResult {
  readonly action: WriteAction;
  /** Version that the write found; absent when it made the object. */
  readonly found?: ObjectVersion;
  readonly resource: Resource;
  /** One sentence each; REST sends them as `Warning` headers. */
  readonly warnings: readonly string[];
  /** True when the object is managed by a CRD and the policy is `warn`: REST answers with `X-Svc-CRD-Managed`. */
  readonly crdManaged: boolean;
}

export interface ListRequest {
  readonly kind: string;
  /** Absent: every namespace. */
  readonly namespace?: string;
  readonly labels?: readonly LabelRequirement[];
  readonly fields?: readonly FieldRequirement[];
  /** Words that the kind's texts of an object must hold; the last one may be the beginning of a word. Matches come newest first. */
  readonly search?: string;
  /** Only objects whose names contain this text, in any case. With an order by name or creation; not with `search`. */
  readonly nameContains?: string;
  /** One of the kind's `sortNames`. Default `name`. */
  readonly order?: string;
  /** Cursor of a list in the same order. */
  readonly after?: PageCursor;
  /** A page has fewer items, and a `continue`, when more would not fit into its size; in a search and with `nameContains` also when many objects were examined for it. */
  readonly limit: number;
  /** Absent: PAGE_MAX_BYTES. */
  readonly bytesMax?: number;
  /** `full` keeps the heavy status fields in. */
  readonly view?: 'full';
}

export interface GetOptions {
  /** As lists show it: without the heavy status fields, and without reading the records they are made of. */
  readonly brief?: boolean;
}

export interface Page {
  readonly items: readonly Resource[];
  readonly continue?: string;
  /** With `nameContains`: number of names searched for the page. */
  readonly examined?: number;
  /** Present while objects written before an upgrade, or many at once, are still being indexed: a list in an order by value or a search lacks some. */
  readonly incomplete?: true;
}

/** Object that a document of an apply is meant for: the object as a dry run found it, or none of that name. */
export type ApplyPrecondition = ObjectVersion | { readonly mustNotExist: true };

export interface ApplyOptions {
  readonly namespace: string;
  /** One for each document, by its position; null: no precondition. All that do not hold are named by one `conflict`. */
  readonly preconditions?: readonly (ApplyPrecondition | null)[];
  readonly dryRun?: boolean;
  /** Says of each object what it refers to and does not exist once all documents are written. Such an object is accepted. */
  readonly findMissing?: boolean;
  readonly fieldValidation?: FieldValidation;
  /** Delete objects matching these labels that the documents do not name. */
  readonly prune?: readonly LabelRequirement[];
  /** Objects to delete after the documents are written, each only at this version; any other version is `conflict`. */
  readonly removals?: readonly ApplyRemoval[];
}

export type ApplyRemoval = ResourceKey & ObjectVersion;

export interface ApplyResult {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly action: WriteAction | 'pruned';
  readonly resourceVersion: string;
  /** As in WriteResult: what a precondition of the next apply can ask for. */
  readonly found?: ObjectVersion;
  /** As in WriteResult; present only when there are any. REST sends them as headers, not in the body. */
  readonly warnings?: readonly string[];
  /** With `findMissing`; present only when there are any. */
  readonly missing?: readonly Reference[];
  /** As in WriteResult; present only when true. */
  readonly crdManaged?: boolean;
}

/** Writes of single objects, each through the whole pipeline: authorise, normalise, validate, admit, write, change record, hooks. */
export interface RegistryWrites {
  /** POST: create, or apply when the name exists. */
  post(context: RequestContext, write: WriteRequest): Promise<WriteResult>;
  put(context: RequestContext, write: NamedWriteRequest): Promise<WriteResult>;
  /** RFC 7386 merge patch on spec, labels and annotations. */
  patch(context: RequestContext, write: NamedWriteRequest): Promise<WriteResult>;
  remove(context: RequestContext, request: RemoveRequest): Promise<{ resource: Resource; crdManaged: boolean }>;
}

/** All methods reject with ServiceError. `kind` is the kind's name (`AgentSystem`). */
export interface Registry extends RegistryQueries, RegistryWrites {
  get(context: RequestContext, key: ResourceKey, options?: GetOptions): Promise<Resource>;
  list(context: RequestContext, request: ListRequest): Promise<Page>;
  /**
   * The same writes as part of the caller's transaction: they are kept or lost with everything else in it. The caller opens it with
   * `transactAgain`, because a write may throw WriteRace or OutsideFirst. A refusal (`conflict`, `invalid`, `not_found`, `forbidden`) of
   * post, put or patch that no hook made has written nothing, so the transaction may continue with another write. `dryRun` is refused with `invalid`.
   */
  within(tx: StoreTransaction): RegistryWrites;
  putStatus(context: RequestContext, write: NamedWriteRequest): Promise<Resource>;
  /** One transaction over parsed documents, dependency-ordered; nothing is written when any is invalid. */
  apply(context: RequestContext, documents: readonly unknown[], options: ApplyOptions): Promise<ApplyResult[]>;
  listNamespaces(context: RequestContext): Promise<string[]>;
}

/** A reference of a spec, and the object of the spec. */
export interface NamedReference {
  readonly from: ResourceKey;
  readonly to: Reference;
}

/**
 * Judges references of specs to objects of other namespaces, in the write's transaction. Throws `forbidden` when the caller may not read one of them, and
 * OutsideFirst while that is not known.
 */
export type JudgeReferences = (identity: Identity, references: readonly NamedReference[], operation?: object) => void;

/** The same of objects that an apply is to delete. Throws `forbidden` when the caller may not delete one of them, and OutsideFirst. */
export type JudgeRemovals = (identity: Identity, keys: readonly ResourceKey[], operation?: object) => void;

/**
 * Part of the write path of a kind that a component adds. Runs inside the write's transaction; keep it to store calls. A kind may have
 * several sets: they run in the order of their registration. Status writes by parts of the service (`updateStatus`) run no hooks.
 */
export interface KindHooks {
  /**
   * Fields of the status that a write of the spec sets, such as a random id or the next due time: they are right in the answer already, and need no
   * further version of the object. Pure but for clock and random numbers; undefined values remove a field.
   */
  readonly writtenStatus?: (spec: Resource['spec'], previous: Resource | undefined) => Readonly<Record<string, unknown>>;
  /**
   * Rejects a write that needs other objects to judge (a Session of a missing system). Resolves with fields of the status that come from these
   * objects, such as their generation: as with `writtenStatus`, they need no further version.
   */
  readonly admit?: (tx: StoreTransaction, resource: Resource, previous: Resource | undefined) => Promise<Resource['status'] | void>;
  /** Warnings about an accepted write, one sentence each; called after the write. */
  readonly warn?: (tx: StoreTransaction, resource: Resource) => Promise<readonly string[]>;
  readonly onCreated?: (tx: StoreTransaction, resource: Resource) => Promise<void>;
  /** Called for a write to its spec, its labels or its status. */
  readonly onUpdated?: (
    tx: StoreTransaction,
    resource: Resource,
    was: { readonly previous: Resource; readonly by: Identity },
  ) => Promise<void>;
  readonly onDeleted?: (tx: StoreTransaction, resource: Resource, by: Identity) => Promise<void>;
  /** Completes the status of a single read from other records (a Task's trace from its journal). */
  readonly expandStatus?: (resource: Resource) => Promise<Readonly<Record<string, unknown>>>;
}
