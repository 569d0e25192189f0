// Definition of a kind: the one source of validation, OpenAPI, `svcctl explain`, tables, references and docs.
// Pure: no I/O, no clock. A kind's folder holds schema.ts (shapes), rules.ts (pure rules), index.ts (defineKind).
import type { z } from 'zod';
import type { FieldError } from '../errors.ts';
import type { ResourceKey } from '../resource.ts';
import { columnSorts } from './column-sorts.ts';
import type { Outcomes } from './outcome.ts';

/** Context of rules besides the spec. */
export interface RuleContext {
  readonly namespace: string;
  readonly name: string;
}

/** A reference from a spec to another object; `path` is its place (`spec.model_ref`). */
export interface Reference extends ResourceKey {
  readonly path: string;
}

/** One column of `svcctl get` and of the console's tables. */
export interface Column {
  readonly title: string;
  /** Dotted path into the resource, `status.phase`; `metadata.createdAt` is shown as an age. */
  readonly path: string;
  /** Shown only in wide tables. */
  readonly wide?: boolean;
  /**
   * Whether lists are sorted by it, for kinds without `sorts` of their own. Default: columns of the spec, the phase and the system. A value of a
   * status is an index write at each change: true for those that seldom change. False for texts whose order says nothing, such as durations.
   */
  readonly sort?: boolean;
  /** Holds words of people: tables give it the room that others leave. */
  readonly prose?: boolean;
}

/** A state-dependent operation, shared by server guards and UI buttons: `action` may be taken while phase is one of `from`. */
export interface PhaseAction {
  readonly action: string;
  readonly from: readonly string[];
}

/** Server options that rules of a kind depend on. */
export interface ServerPolicy {
  /** Whether tools may run in pods of a Kubernetes cluster. */
  readonly kubernetesIsolation: boolean;
}

/** Entries of the console's navigation that list kinds. Kinds of one area share an entry. */
export const KIND_AREAS = [
  'inbox',
  'runs',
  'sessions',
  'systems',
  'agents',
  'experiments',
  'models',
  'tools',
  'memory',
  'triggers',
  'access',
  'secrets',
  'workers',
] as const;
export type KindArea = (typeof KIND_AREAS)[number];

/** Names that a spec gives its own parts. Paths are relative to `spec`. */
export interface LocalNames {
  /** List of the names. */
  readonly list: string;
  /** Map whose keys are such names. */
  readonly map: string;
  /** Fields within the map whose values are such names. */
  readonly fields: readonly string[];
}

/** Names in a spec that belong to another object, to which a field of the same spec refers: agents of the system of a Session. */
export interface PartNames {
  /** Field of the reference to that object. */
  readonly of: string;
  /** Maps whose keys are such names, as paths of the spec. */
  readonly maps: readonly string[];
}

/** Next step from an object: a new object of a kind that refers to it, or the list of a kind. */
export type NextStep = { readonly label: string } & ({ readonly create: string } | { readonly list: string });

/** Orders of a kind's lists besides name and time of creation; each name may have a minus before it. */
export interface ListSorts<Spec, Status> {
  /** Names of orders by an indexed field that every object of the kind has, with the path of the field. */
  readonly fields: Readonly<Record<string, string>>;
  /** Names of orders by a sort value. */
  readonly values: readonly string[];
  /** The sort values as texts whose bytewise order is theirs, none of them empty; undefined for an object that has none yet. Pure and total. */
  readonly valuesOf: (object: { readonly spec: Spec; readonly status: Status }) => Readonly<Record<string, string>> | undefined;
}

/** An object, as far as its texts come from it. */
interface SearchedObject<Spec, Status> {
  readonly name: string;
  readonly generation: number;
  readonly spec: Spec;
  readonly status: Status;
}

/** Texts of a kind's objects that lists are searched by. They hold nothing that a reader of the object does not see. */
export interface KindSearch<Spec, Status> {
  /** The texts by their names, the one that says most first. Pure. */
  readonly textsOf: (object: SearchedObject<Spec, Status>) => Readonly<Record<string, string>>;
  /** Changes whenever the search texts may change; cheap, because each write calls it. Pure. */
  readonly versionOf: (object: SearchedObject<Spec, Status>) => string;
}

// A list of kinds holds definitions over different specs, which only `any` lets stand side by side.
/** `Written` is a spec as clients write it, `Spec` as it is stored: normalised, with every default filled in. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export interface KindDefinition<Spec = any, Status = any, Written = any, Name extends string = string> {
  readonly kind: Name;
  /** The path segment, `agent-systems`. */
  readonly plural: string;
  readonly area: KindArea;
  /** Name of a Lucide icon, `KeyRound`. */
  readonly icon: string;
  /** Name on screens where it differs from the kind's own words. */
  readonly title?: { readonly one: string; readonly many: string };
  /** Singular and short names that svcctl accepts besides kind and plural, lower-case. */
  readonly shortNames: readonly string[];
  /** One or two sentences for explain, docs and OpenAPI. */
  readonly description: string;
  /** Structural schema (strict objects; every field described). Required fields carry the `required` meta and default to an empty value, so that rules can report all problems at once. */
  readonly spec: z.ZodType<Written>;
  readonly status: z.ZodType<Status>;
  readonly phases: readonly string[];
  readonly initialPhase: string;
  /** Phases that an object leaves neither by itself nor by an update. */
  readonly terminalPhases: readonly string[];
  /** Ends that a person chose, which screens show in place of the phase. Absent: the phase says it all. */
  readonly outcomes?: Outcomes;
  /** Status of a new object besides its phase; from the normalised spec and the time of creation. Pure. */
  readonly initialStatus?: (spec: Spec, createdAt: string) => Partial<Status>;
  /** Defaults, trimming, aliases, deduplication, coercion. Total, pure, idempotent; never throws on a structurally valid spec. */
  readonly normalize: (spec: Written, context: RuleContext) => Spec;
  /** Paths of fields with defaults that depend on other fields, such as `base_url`. A merge patch computes a default that is stored again. */
  readonly derivedDefaults: readonly string[];
  /** Every broken rule of a normalised spec, with paths that begin with `spec.`. Pure. */
  readonly validate: (spec: Spec, context: RuleContext) => FieldError[];
  /** Warnings about a spec that is accepted and cannot work as it is, with paths. Pure. */
  readonly advise: (spec: Spec) => FieldError[];
  /** Broken rules that depend on the server's options, for a spec that `validate` accepts; paths as in `validate`. Pure. */
  readonly serverRules: (spec: Spec, policy: ServerPolicy) => FieldError[];
  /**
   * Reason why only an administrator may write the spec, a noun phrase such as "a cli Tool with isolation_mode none"; undefined when every writer may. A
   * reason exists where the object would run programs or read files on the server's machine. Gets a spec of any structure and never throws. Pure.
   */
  readonly adminOnly: (spec: unknown) => string | undefined;
  readonly references: (spec: Spec, context: RuleContext) => Reference[];
  /** Further references, which relations leave out: definitions that a run takes in place of those of its system. Pure. */
  readonly changeReferences: (spec: Spec, context: RuleContext) => Reference[];
  /** Paths of references that must exist when they are written or changed, such as `spec.system`; they may be deleted later. */
  readonly requiredReferences: readonly string[];
  /** True when `status.lastError` names the references of an object that lead nowhere. Kinds with a controller report them by it. */
  readonly namesMissing: boolean;
  readonly columns: readonly Column[];
  readonly actions: readonly PhaseAction[];
  /** Paths clients may use in fieldSelector, such as `status.phase`. */
  readonly fieldSelectors: readonly string[];
  /** Default: by the columns. */
  readonly sorts: ListSorts<Spec, Status>;
  /** Absent: objects are found by their names only. */
  readonly search?: KindSearch<Spec, Status>;
  /** Status fields left out of lists unless `?view=full`. */
  readonly heavyStatusFields: readonly string[];
  /** Returns the spec as clients may read it (Secrets hide their values). */
  readonly redact: (spec: Spec) => Spec;
  /** True when the values of `spec.data` are encrypted in the store and no read returns them; clients write plain text as `spec.stringData`. */
  readonly writeOnly: boolean;
  /**
   * True when each write of an object is an audit record: the kind holds rules, Secrets, or what runs outside this service. `deletion` when only a
   * deletion by a caller is one: it ends runs and removes their records.
   */
  readonly audited: boolean | 'deletion';
  /** True when replaced specs of an object are kept as versions. Never for a kind whose specs hold Secret values, nor for records of what ran. */
  readonly keepsVersions: boolean;
  /** True when only the service creates objects of the kind: no manifest names them, so apply never prunes them and the console creates none. */
  readonly serviceManaged: boolean;
  /** Objects that people declare, which an export holds: all of the kind, those of this phase with such a spec, or none as of records of what ran. */
  readonly declared: boolean | { readonly phase: string; readonly where: (spec: Spec) => boolean };
  /** True for records of what ran, of which there are many: searches list them after other kinds. */
  readonly isRecord: boolean;
  /** True when a plain update of an object is a heartbeat of its owner: event streams leave it out on request, and no reference changes by it. */
  readonly heartbeats: boolean;
  /** True when an object serves every namespace: streams of one namespace include changes of all objects of the kind. */
  readonly servesAllNamespaces: boolean;
  /** Part of an object in verdicts on tool calls; undefined where no verdict depends on the kind. */
  readonly verdictPart?: 'agent' | 'tool' | 'system' | 'rule';
  /** True when objects of the kind decide whether a tool call can run at all. */
  readonly enablesCalls: boolean;
  /** True when runs are counted for each object of the kind: lists show how often it ran, how that ended and what it cost. */
  readonly countsRuns: boolean;
  /** True when the spec of an object does not change once it is created: the console offers no edit. The hooks of the kind refuse one. */
  readonly fixedSpec: boolean;
  /** True when an object is no more than its spec, so that the console renames it by a new object, with every reference to it. */
  readonly renamable: boolean;
  /** True when the server explains the state of an object under `…/explain`. */
  readonly hasExplanation: boolean;
  readonly localNames?: LocalNames;
  readonly partNames?: PartNames;
  readonly nextStep?: NextStep;
  /** True when lists accept the deprecated query parameter `offset`. */
  readonly offsetPaging: boolean;
  /** Position in dependency order for multi-document apply: lower first. */
  readonly applyOrder: number;
}

type Optional =
  | 'derivedDefaults'
  | 'validate'
  | 'advise'
  | 'serverRules'
  | 'adminOnly'
  | 'references'
  | 'changeReferences'
  | 'requiredReferences'
  | 'namesMissing'
  | 'actions'
  | 'fieldSelectors'
  | 'sorts'
  | 'heavyStatusFields'
  | 'redact'
  | 'writeOnly'
  | 'phases'
  | 'initialPhase'
  | 'terminalPhases'
  | 'audited'
  | 'keepsVersions'
  | 'serviceManaged'
  | 'isRecord'
  | 'declared'
  | 'heartbeats'
  | 'servesAllNamespaces'
  | 'enablesCalls'
  | 'countsRuns'
  | 'fixedSpec'
  | 'renamable'
  | 'hasExplanation'
  | 'offsetPaging';

/** Completes a definition with the usual answers: phase `Pending`, no references, nothing to redact. */
export function defineKind<Spec, Status, Written, const Name extends string>(
  kind: Omit<KindDefinition<Spec, Status, Written, Name>, Optional> & Partial<Pick<KindDefinition<Spec, Status, Written, Name>, Optional>>,
): KindDefinition<Spec, Status, Written, Name> {
  return {
    phases: ['Pending'],
    initialPhase: 'Pending',
    derivedDefaults: [],
    validate: () => [],
    terminalPhases: [],
    advise: () => [],
    serverRules: () => [],
    adminOnly: () => undefined,
    references: () => [],
    changeReferences: () => [],
    requiredReferences: [],
    namesMissing: false,
    actions: [],
    fieldSelectors: [],
    sorts: columnSorts(kind.columns),
    heavyStatusFields: [],
    redact: (spec) => spec,
    writeOnly: false,
    audited: false,
    keepsVersions: false,
    serviceManaged: false,
    isRecord: false,
    declared: kind.serviceManaged !== true && kind.isRecord !== true,
    heartbeats: false,
    servesAllNamespaces: false,
    enablesCalls: false,
    countsRuns: false,
    fixedSpec: false,
    renamable: false,
    hasExplanation: false,
    offsetPaging: false,
    ...kind,
  };
}

/** Orders of every list, without the minus of the descending ones. */
const KEY_SORTS = ['name', 'createdAt'] as const;

/** Names of the orders that lists of a kind have. */
export function sortNames({ sorts }: Pick<KindDefinition, 'sorts'>): string[] {
  const names = [...KEY_SORTS, ...Object.keys(sorts.fields), ...sorts.values];
  return names.flatMap((name) => [name, `-${name}`]);
}
