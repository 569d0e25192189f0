// Origin of a run: the interface of the request, the object that started it, and the requesting principal. One reader for Tasks and approvals.
import { ANNOTATION_PREFIX, describeKey, nameProblem, namespaceProblem, type Metadata, type ResourceKey } from './resource.ts';

export const RUN_DOORS = ['api', 'session', 'chat', 'schedule', 'webhook', 'experiment', 'a2a', 'mcp'] as const;
/** `api`: a Task that was created directly, by svcctl, the console or a client of the API. */
export type RunDoor = (typeof RUN_DOORS)[number];

/** Label naming the door. On a Task only for doors that leave no `svc.dev/created-by` label (`chat`, `a2a`, `mcp`); on every approval. */
export const DOOR_LABEL = `${ANNOTATION_PREFIX}door`;
const CREATED_BY_LABEL = `${ANNOTATION_PREFIX}created-by`;
/** Annotation of an approval: `Session default/talk`. */
const SOURCE_ANNOTATION = `${ANNOTATION_PREFIX}origin`;
/** Annotation of an approval: a principal by name. */
const ASKED_BY_ANNOTATION = `${ANNOTATION_PREFIX}asked-by`;
/** Label naming the Experiment of a run. */
export const EXPERIMENT_LABEL = `${ANNOTATION_PREFIX}experiment`;
const RETRY_ANNOTATION = `${ANNOTATION_PREFIX}retry-of`;
/** Everybody, while authentication is off. */
const ANONYMOUS = 'anonymous';
/** Creator of the approvals of runs. */
const ENGINE = 'system:engine';
/** Doors that create Tasks as their caller. */
const CALLER_DOORS: readonly RunDoor[] = ['a2a', 'mcp'];

export interface RunOrigin {
  readonly door: RunDoor;
  /** Session, TaskSchedule, TaskWebhook or Experiment that started the run. */
  readonly source?: ResourceKey;
  /** Requesting principal; for a schedule or webhook its creator. Absent when unknown. */
  readonly askedBy?: string;
}

type Marks = Readonly<Record<string, string>>;

/** A Task, as stored or as the API returns it. */
export interface OriginTask {
  readonly namespace: string;
  readonly labels: Marks;
  readonly annotations: Marks;
  readonly createdBy?: string | undefined;
  /** Further creators, the requester first; only the server has them. */
  readonly alsoBy?: readonly string[] | undefined;
}

/** The spec of a Task. */
export interface OriginSpec {
  readonly input?: Marks | undefined;
}

/**
 * Origin of the run of a Task. Labels can be written by anybody, so those of a Session, schedule or webhook count only on a Task that a part of the
 * service created; `askedBy` never comes from a label. A retry came from the person who retried it.
 */
export function taskOrigin({ namespace, labels, annotations, createdBy, alsoBy = [] }: OriginTask, { input }: OriginSpec): RunOrigin {
  const byService = createdBy?.startsWith('system:') === true;
  const retried = annotations[RETRY_ANNOTATION] !== undefined;
  const asked = byService ? alsoBy[0] : createdBy;
  const by = asked === undefined || asked === ANONYMOUS || asked.startsWith('system:') ? {} : { askedBy: asked };
  const marked = doorOf(labels[DOOR_LABEL]);
  if (!byService) return { door: !retried && marked && CALLER_DOORS.includes(marked) ? marked : 'api', ...by };
  const cause = doorOf(labels[CREATED_BY_LABEL]);
  const source = sourceOf(cause, { namespace, labels }, input);
  return { door: marked ?? cause ?? 'api', ...(source && { source }), ...by };
}

function sourceOf(
  cause: RunDoor | undefined,
  { namespace, labels }: Pick<OriginTask, 'namespace' | 'labels'>,
  input: OriginSpec['input'],
): ResourceKey | undefined {
  const named = (kind: string, name: string | undefined) =>
    name !== undefined && nameProblem(name) === undefined ? { kind, namespace, name } : undefined;
  if (cause === 'schedule') return named('TaskSchedule', labels[`${ANNOTATION_PREFIX}task-schedule`]);
  if (cause === 'webhook') return named('TaskWebhook', labels[`${ANNOTATION_PREFIX}task-webhook`]);
  if (cause === 'experiment') return named('Experiment', labels[EXPERIMENT_LABEL]);
  // Older versions cut the label of a Session; the input has the whole name.
  return cause === 'session' ? named('Session', input?.['session_id']) : undefined;
}

const doorOf = (value: string | undefined): RunDoor | undefined => RUN_DOORS.find((door) => door === value);

/** Labels and annotations of the approvals of a run. */
export function originMarks({ door, source, askedBy }: RunOrigin): { readonly labels: Marks; readonly annotations: Marks } {
  return {
    labels: { [DOOR_LABEL]: door },
    annotations: {
      ...(source && { [SOURCE_ANNOTATION]: describeKey(source) }),
      ...(askedBy !== undefined && { [ASKED_BY_ANNOTATION]: askedBy }),
    },
  };
}

/** Origin as the marks of an approval state it; undefined for an approval of an older version and for one made by hand. */
export function approvalOrigin({
  labels,
  annotations,
  createdBy,
}: Pick<Metadata, 'labels' | 'annotations' | 'createdBy'>): RunOrigin | undefined {
  const door = createdBy === ENGINE ? doorOf(labels[DOOR_LABEL]) : undefined;
  if (!door) return undefined;
  const source = parseSource(annotations[SOURCE_ANNOTATION] ?? '');
  const askedBy = annotations[ASKED_BY_ANNOTATION];
  return { door, ...(source && { source }), ...(askedBy && { askedBy }) };
}

const SOURCE_KINDS: readonly string[] = ['Session', 'TaskSchedule', 'TaskWebhook', 'Experiment'];

function parseSource(text: string): ResourceKey | undefined {
  const [, kind = '', namespace = '', name = ''] = /^(\w+) ([^\s/]+)\/(\S+)$/.exec(text) ?? [];
  const fits = SOURCE_KINDS.includes(kind) && namespaceProblem(namespace) === undefined && nameProblem(name) === undefined;
  return fits ? { kind, namespace, name } : undefined;
}

export const DOOR_NAMES: Readonly<Record<RunDoor, string>> = {
  api: 'API',
  session: 'Session',
  chat: 'Chat completions',
  schedule: 'Schedule',
  webhook: 'Webhook',
  experiment: 'Experiment',
  a2a: 'A2A',
  mcp: 'MCP',
};

/** `Session default/talk`, `Chat completions, Session default/chat-3f0c`, or the door alone. */
export function originText({ door, source }: RunOrigin): string {
  if (!source) return DOOR_NAMES[door];
  return OWN_SOURCE.has(door) ? describeKey(source) : `${DOOR_NAMES[door]}, ${describeKey(source)}`;
}

/** Doors whose source names them by its kind. */
const OWN_SOURCE: ReadonlySet<RunDoor> = new Set(['session', 'schedule', 'webhook', 'experiment']);

/** `Requested by`, or `Set up by` where nobody asks at the moment of the run. */
export const askerTerm = ({ door }: RunOrigin): string => (door === 'schedule' || door === 'webhook' ? 'Set up by' : 'Requested by');
