// Results and stream events of other agents, in the form of any dialect, as the tasks and messages of model.ts. What has a wrong type is left out. Pure.
import { filledText, isObject } from '@svc/shared/json';
import { TASK_STATES, type Artifact, type Part, type TaskState } from '../model.ts';
import { ARTIFACTS_MAX, PARTS_MAX } from './limits.ts';

/** A task as its agent shows it; an event of a stream has a part of it. */
export interface TaskUpdate {
  readonly taskId?: string;
  readonly contextId?: string;
  readonly state?: TaskState;
  /** Content of the message of its status. */
  readonly says?: readonly Part[];
  /** All artifacts, in place of those before. */
  readonly artifacts?: readonly Artifact[];
  /** One artifact, or the next part of one. */
  readonly artifact?: { readonly artifact: Artifact; readonly append: boolean };
  /** The agent answered with a message in place of a task. */
  readonly reply?: readonly Part[];
}

type Fields = Readonly<Record<string, unknown>>;

const STATES: ReadonlySet<string> = new Set(TASK_STATES);
const optional = <Name extends string, Value>(name: Name, value: Value | undefined): { readonly [key in Name]?: Value } =>
  (value === undefined ? {} : { [name]: value }) as { readonly [key in Name]?: Value };

/** Undefined for a value that is not a result of A2A. */
export function readAnswer(value: unknown): TaskUpdate | undefined {
  if (!isObject(value)) return undefined;
  const { task, message, statusUpdate, artifactUpdate, msg } = value;
  if (isObject(task)) return readTask(task);
  if (isObject(statusUpdate)) return readStatus(statusUpdate);
  if (isObject(artifactUpdate)) return readArtifactUpdate(artifactUpdate);
  if (isObject(message ?? msg) && value['status'] === undefined) return readReply((message ?? msg) as Fields);
  if (value['kind'] === 'message' || (Array.isArray(value['parts']) && value['status'] === undefined)) return readReply(value);
  if (isObject(value['artifact'])) return readArtifactUpdate(value);
  if (!isObject(value['status'])) return undefined;
  return value['kind'] === 'status-update' || value['taskId'] !== undefined ? readStatus(value) : readTask(value);
}

function readTask(task: Fields): TaskUpdate {
  const artifacts = Array.isArray(task['artifacts']) ? task['artifacts'].slice(0, ARTIFACTS_MAX).filter(isObject).map(readArtifact) : [];
  return { ...optional('taskId', filledText(task['id'])), ...contextOf(task), ...stateFields(task), artifacts };
}

const readStatus = (update: Fields): TaskUpdate => ({ ...idsOf(update), ...stateFields(update) });

const readArtifactUpdate = (update: Fields): TaskUpdate => ({
  ...idsOf(update),
  ...(isObject(update['artifact']) && { artifact: { artifact: readArtifact(update['artifact']), append: update['append'] === true } }),
});

const readReply = (message: Fields): TaskUpdate => ({ ...idsOf(message), reply: readParts(message['parts']) });

const contextOf = ({ contextId }: Fields) => optional('contextId', filledText(contextId));
const idsOf = (fields: Fields) => ({ ...optional('taskId', filledText(fields['taskId'] ?? fields['id'])), ...contextOf(fields) });

function stateFields({ status }: Fields): Pick<TaskUpdate, 'state' | 'says'> {
  if (!isObject(status)) return {};
  const { message, state } = status;
  return { ...optional('state', stateOf(state)), ...(isObject(message) && { says: readParts(message['parts']) }) };
}

/** A state of a later version counts as work, which the time limit of the call bounds. */
function stateOf(value: unknown): TaskState | undefined {
  if (typeof value !== 'string') return undefined;
  const name = value
    .replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
  if (name === 'cancelled') return 'canceled';
  return STATES.has(name) ? (name as TaskState) : 'working';
}

function readArtifact(artifact: Fields, index = 0): Artifact {
  const artifactId = filledText(artifact['artifactId']) ?? String(Number.isInteger(artifact['index']) ? artifact['index'] : index);
  return { artifactId, name: filledText(artifact['name']) ?? artifactId, parts: readParts(artifact['parts']) };
}

function readParts(parts: unknown): Part[] {
  return Array.isArray(parts) ? parts.slice(0, PARTS_MAX).flatMap((part) => (isObject(part) ? readPart(part) : [])) : [];
}

function readPart(part: Fields): Part[] {
  if (typeof part['text'] === 'string') return [{ kind: 'text', text: part['text'] }];
  if (part['data'] !== undefined) return [{ kind: 'data', data: part['data'] }];
  const file = isObject(part['file']) ? part['file'] : part;
  const bytes = filledText(file['bytes'] ?? file['raw'] ?? file['fileWithBytes']);
  const uri = filledText(file['uri'] ?? file['url'] ?? file['fileWithUri']);
  if (bytes === undefined && uri === undefined) return [];
  const head = {
    ...optional('name', filledText(file['name'] ?? file['filename'])),
    ...optional('mediaType', filledText(file['mimeType'] ?? file['mediaType'])),
  };
  return [{ kind: 'file', ...head, ...(bytes === undefined ? { uri: uri ?? '' } : { bytes }) }];
}

/** The task after an update. */
export function applyUpdate(task: TaskUpdate, { artifact: piece, ...update }: TaskUpdate): TaskUpdate {
  const merged = { ...task, ...update };
  // The message belongs to its status alone.
  if (update.state !== undefined && update.says === undefined) delete (merged as { says?: unknown }).says;
  if (!piece) return merged;
  const known = task.artifacts ?? [];
  const { artifact, append } = piece;
  const before = known.find(({ artifactId }) => artifactId === artifact.artifactId);
  if (!before) return { ...merged, artifacts: known.length >= ARTIFACTS_MAX ? known : [...known, artifact] };
  const joined = append ? { ...artifact, parts: joinParts(before.parts, artifact.parts) } : artifact;
  return { ...merged, artifacts: known.map((each) => (each === before ? joined : each)) };
}

/** Pieces of a text that streams are one text. */
function joinParts(before: readonly Part[], after: readonly Part[]): readonly Part[] {
  const joined = [...before];
  for (const part of after) {
    const last = joined.at(-1);
    if (part.kind === 'text' && last?.kind === 'text') joined[joined.length - 1] = { kind: 'text', text: last.text + part.text };
    else if (joined.length < PARTS_MAX) joined.push(part);
  }
  return joined;
}

/** The texts of parts, joined by newlines. */
export const textOf = (parts: readonly Part[]): string => parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
