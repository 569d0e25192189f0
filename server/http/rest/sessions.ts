// Conversations over REST: turns, events, the event stream and control. All of it is the session service's; this file only translates.
import { isObject } from '@svc/shared/json';
import { invalidFields, ServiceError } from '@svc/shared/errors';
import type { ForkRequest, SessionControl, SessionEvent } from '@svc/shared/api/sessions';
import type { DiffRequest, EventsPage, SessionService, TurnSubmission } from '../../sessions/session-service.ts';
import type { CallerGate } from '../gate/caller.ts';
import { badParameter } from '../query.ts';
import { json, SMALL_BODY_MAX_BYTES, type Call, type Parameter, type Route } from '../route.ts';
import { EVENT_STREAM_TYPE } from '../sse/event-stream.ts';
import { FrameCache } from '../sse/frame.ts';
import type { Feed, StreamHub } from '../sse/stream-hub.ts';
import { identifier, objectReference, plainText } from '../text-types.ts';
import { afterParameter, lastEventIdHeader, limitParameter, LIST_LIMIT, namespaceParameter, textFilter, objectOf } from './parameters.ts';
import { readFields, type Fields } from './request-fields.ts';
import { pageOf, ref } from './schemas.ts';
import { streamCaller } from './watches.ts';

export interface SessionServices {
  readonly sessions: SessionService;
  readonly gate: CallerGate;
  readonly hub: StreamHub;
}

const TAG = 'Session';
/** JSON escapes of a content of 256 KiB fit. */
const TURN_BODY_MAX_BYTES = 2 * 1024 * 1024;
const pageRequest = ({ query }: Call) => ({ after: query.text('after'), limit: query.integer('limit', LIST_LIMIT) });

const idempotencyKey: Parameter = {
  ...textFilter('Idempotency-Key', plainText(255), 'A new one for each message; the same one again answers with the turn it made.'),
  required: true,
};

function readTurn({ content, interrupt = false }: Partial<TurnSubmission>, key: string | undefined): TurnSubmission {
  if (content === undefined) throw invalidFields('The turn', [{ path: 'content', message: 'must be a string' }]);
  return { content, interrupt, idempotencyKey: key ?? '' };
}

function turnRoutes(sessions: SessionService): Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/sessions/{name}/turns',
      access: 'writer',
      tag: TAG,
      operationId: 'submitTurn',
      summary: 'Send a message to a Session',
      description:
        'Queues a turn; turns run one at a time in the order of submission. With `interrupt` the active turn is cancelled and this one runs ' +
        'next. 409 for a key that was used with another content, for a Session that has ended, and past `spec.max_turns`.',
      query: [namespaceParameter],
      headers: [idempotencyKey],
      body: { description: 'The message.', schema: ref('TurnRequest'), maxBytes: TURN_BODY_MAX_BYTES },
      responses: {
        202: { description: 'The turn is queued.', schema: ref('SubmittedTurn') },
        200: { description: 'The key was used before for this content.', schema: ref('SubmittedTurn') },
      },
      errors: ['rate_limited'],
      handle: async (call) => {
        const submission = readTurn(await readFields<TurnSubmission>(call), call.header('idempotency-key'));
        const submitted = await sessions.submit(call.context, objectOf(call), submission);
        return json(submitted, { status: submitted.created ? 202 : 200 });
      },
    },
    {
      method: 'GET',
      path: '/v1/sessions/{name}/turns',
      access: 'reader',
      tag: TAG,
      operationId: 'listTurns',
      summary: 'Turns of a Session',
      query: [namespaceParameter, limitParameter, afterParameter],
      responses: { 200: { description: 'The turns, in the order of submission.', schema: pageOf(ref('Turn')) } },
      handle: async (call) => json(await sessions.turns(call.context, objectOf(call), pageRequest(call))),
    },
  ];
}

const CONTROLS: Readonly<Record<SessionControl, string>> = {
  pause: 'The active turn stops at its last safe point and waits; open approvals stay valid. 409 when the Session is paused or has ended.',
  resume: 'From Paused or Failed: the queued turns continue. 409 from any other phase.',
  cancel: 'Ends the Session permanently; turns that have not ended are cancelled. 409 when it has ended.',
  complete: 'Ends the Session permanently as Completed; turns that have not ended are cancelled. 409 when it has ended.',
};

function controlRoutes(sessions: SessionService): Route[] {
  return (Object.keys(CONTROLS) as SessionControl[]).map((control) => ({
    method: 'POST',
    path: `/v1/sessions/{name}/${control}`,
    access: 'writer',
    tag: TAG,
    operationId: `${control}Session`,
    summary: `${control.charAt(0).toUpperCase()}${control.slice(1)} a Session`,
    description: CONTROLS[control],
    query: [namespaceParameter],
    body: {
      description: 'Why.',
      schema: ref('SessionControlRequest'),
      optional: true,
      maxBytes: SMALL_BODY_MAX_BYTES,
    },
    responses: { 200: { description: 'The Session.', schema: ref('Session') } },
    handle: async (call) => {
      const { reason } = await readFields<{ readonly reason: string }>(call);
      return json(await sessions.control(call.context, objectOf(call), { control, reason }));
    },
  }));
}

/** Readers of one Session share its events. */
const sessionFrames = new FrameCache<SessionEvent>(({ type }) => type);

/** Events are stored, so a slow reader is waited for: the next page is read once it has taken the one before. */
function feedSession(pages: AsyncIterable<EventsPage>): Feed {
  return async (stream) => {
    for await (const { items } of pages)
      if (!(await stream.sendInTime(items.map((event) => sessionFrames.frame(event, String(event.seq)))))) return;
    stream.close('session_deleted');
  };
}

/** Sequence number to continue after: the header of a reconnecting client wins over the query. */
function cursorOf(call: Call): number {
  const text = call.header('last-event-id')?.trim() || call.query.text('after') || '0';
  if (!/^\d{1,15}$/.test(text)) throw new ServiceError('invalid', 'The cursor is the sequence number of an event of this Session');
  return Number(text);
}

function eventRoutes({ sessions, gate, hub }: SessionServices): Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/sessions/{name}/events',
      access: 'reader',
      tag: TAG,
      operationId: 'listSessionEvents',
      summary: 'Events of a Session',
      description: 'Every event after a sequence number, in order and without gaps.',
      query: [namespaceParameter, limitParameter, afterParameter],
      responses: { 200: { description: 'The events.', schema: pageOf(ref('SessionEvent')) } },
      handle: async (call) => json(await sessions.events(call.context, objectOf(call), pageRequest(call))),
    },
    {
      method: 'GET',
      path: '/v1/sessions/{name}/stream',
      access: 'reader',
      tag: TAG,
      operationId: 'streamSession',
      summary: 'Follow a Session',
      description:
        'Server-sent events: those after the cursor, then each one as it comes. `id` is the sequence number, `event` the type. Ends with `event: close` `{"reason":"session_deleted"}` when the Session is deleted.',
      query: [namespaceParameter, afterParameter],
      headers: [lastEventIdHeader],
      responses: { 200: { description: 'The stream.', schema: ref('SessionEvent'), contentType: EVENT_STREAM_TYPE } },
      handle: async (call) => {
        const after = cursorOf(call);
        const session = objectOf(call);
        const ended = new AbortController();
        const pages = await sessions.follow(call.context, session, {
          after,
          signal: ended.signal,
          takeTurn: (read) => call.streamPortions.run(read, ended.signal),
        });
        return hub.reply(streamCaller(gate, call, 'session'), (signal) => {
          signal.addEventListener('abort', () => ended.abort(), { once: true });
          return feedSession(pages);
        });
      },
    },
  ];
}

const againstParameter: Parameter = { ...textFilter('against', identifier, 'The other checkpoint.'), required: true };
const otherSessionParameter = textFilter(
  'session',
  objectReference,
  'Session of the other checkpoint, as name or namespace/name; absent: the same one.',
);

function readDiff({ query }: Call): DiffRequest {
  const against = query.text('against');
  if (against === undefined) throw badParameter('against', 'is required: the id of the checkpoint to compare with');
  return { against, session: query.text('session') };
}

const checkpointOf = (call: Call) => ({ ...objectOf(call), id: call.params['checkpoint_id'] ?? '' });

function checkpointRoutes(sessions: SessionService): Route[] {
  const shared = { method: 'GET', access: 'reader', tag: TAG } as const;
  return [
    {
      ...shared,
      path: '/v1/sessions/{name}/checkpoints',
      operationId: 'listCheckpoints',
      summary: 'Checkpoints of a Session',
      query: [namespaceParameter, limitParameter, afterParameter],
      responses: { 200: { description: 'The checkpoints, newest first.', schema: pageOf(ref('Checkpoint')) } },
      handle: async (call) => json(await sessions.checkpoints(call.context, objectOf(call), pageRequest(call))),
    },
    {
      ...shared,
      path: '/v1/sessions/{name}/checkpoints/{checkpoint_id}',
      operationId: 'getCheckpoint',
      summary: 'A checkpoint of a Session',
      description: 'Metadata and hashes, never the state itself.',
      query: [namespaceParameter],
      responses: { 200: { description: 'The checkpoint.', schema: ref('Checkpoint') } },
      handle: async (call) => json(await sessions.checkpoint(call.context, checkpointOf(call))),
    },
    {
      ...shared,
      path: '/v1/sessions/{name}/checkpoints/{checkpoint_id}/replay',
      operationId: 'replayCheckpoint',
      summary: 'Replay a checkpoint',
      description:
        'Folds the recorded state again and compares its hash; answers with the events up to the checkpoint. No model and no tool is called.',
      query: [namespaceParameter, limitParameter, afterParameter],
      responses: { 200: { description: 'What was recorded.', schema: ref('CheckpointReplay') } },
      errors: ['conflict'],
      handle: async (call) => json(await sessions.replay(call.context, checkpointOf(call), pageRequest(call))),
    },
    {
      ...shared,
      path: '/v1/sessions/{name}/checkpoints/{checkpoint_id}/diff',
      operationId: 'diffCheckpoints',
      summary: 'Compare two checkpoints',
      description:
        'Differences between this checkpoint (`left`) and another (`right`) of the Session or of a fork, from what is recorded: messages, ' +
        'tool calls, outputs, agents and usage. No model and no tool is called. 409 for a checkpoint whose state does not verify.',
      query: [namespaceParameter, againstParameter, otherSessionParameter],
      responses: { 200: { description: 'The differences.', schema: ref('CheckpointDiff') } },
      errors: ['conflict', 'too_large'],
      handle: async (call) => json(await sessions.diff(call.context, checkpointOf(call), readDiff(call))),
    },
  ];
}

function readOverride(value: unknown, path: string): string | Readonly<Record<string, string>> | undefined {
  if (value === undefined || typeof value === 'string') return value;
  if (isObject(value) && Object.values(value).every((each) => typeof each === 'string')) return value as Readonly<Record<string, string>>;
  throw invalidFields('The fork', [{ path, message: 'must be a string, or strings by agent' }]);
}

interface ForkBody extends Omit<ForkRequest, 'overrides'> {
  readonly overrides: Fields;
}

function readFork({ name, namespace, resume, overrides }: Partial<ForkBody>): ForkRequest {
  if (name === undefined) throw invalidFields('The fork', [{ path: 'name', message: 'must be the name of the new Session' }]);
  const model = readOverride(overrides?.['model'], 'overrides.model');
  const prompt = readOverride(overrides?.['prompt'], 'overrides.prompt');
  return { name, namespace, resume, overrides: { model, prompt } };
}

function branchRoutes(sessions: SessionService): Route[] {
  const shared = { method: 'POST', access: 'writer', tag: TAG, query: [namespaceParameter] } as const;
  const small = { optional: true, maxBytes: SMALL_BODY_MAX_BYTES };
  return [
    {
      ...shared,
      path: '/v1/sessions/{name}/checkpoints/{checkpoint_id}/rewind',
      operationId: 'rewindSession',
      summary: 'Rewind a Session to a checkpoint',
      description:
        'Undoes everything after the checkpoint and pauses the Session there, even an ended one. An active turn is cancelled. A ' +
        'checkpoint inside a turn becomes a new turn. With `interrupt` and `resume` execution continues at once; only `resume` is needed while ' +
        'no turn is active, and otherwise leaves the Session paused.',
      body: { description: 'How to continue.', schema: ref('RewindRequest'), ...small },
      responses: { 200: { description: 'The Session.', schema: ref('RewoundSession') } },
      handle: async (call) => {
        const { interrupt, resume } = await readFields<{ readonly interrupt: boolean; readonly resume: boolean }>(call);
        return json(await sessions.rewind(call.context, checkpointOf(call), { interrupt, resume }));
      },
    },
    {
      ...shared,
      path: '/v1/sessions/{name}/checkpoints/{checkpoint_id}/fork',
      operationId: 'forkSession',
      summary: 'Fork a Session at a checkpoint',
      description:
        'Creates a paused Session with the history up to the checkpoint; it does not depend on the first one afterwards. `overrides` gives every ' +
        'agent, or single ones by name, another model or prompt.',
      body: { description: 'The new Session.', schema: ref('ForkRequest') },
      responses: { 201: { description: 'The fork.', schema: ref('ForkedSession') } },
      handle: async (call) =>
        json(await sessions.fork(call.context, checkpointOf(call), readFork(await readFields<ForkBody>(call))), { status: 201 }),
    },
  ];
}

export function sessionRoutes(services: SessionServices): Route[] {
  const { sessions } = services;
  return [
    ...turnRoutes(sessions),
    ...controlRoutes(sessions),
    ...eventRoutes(services),
    ...checkpointRoutes(sessions),
    ...branchRoutes(sessions),
  ];
}
