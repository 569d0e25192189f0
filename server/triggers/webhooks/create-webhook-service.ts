// Deliveries to webhooks. The steps of one, each cheaper than the next: find, suspended, size, signature, time, event id, then one transaction that
// notes the event and creates its run.
import { createHash } from 'node:crypto';
import type { DeliveryReply } from '@svc/shared/api/webhooks';
import { invalidFields, ServiceError } from '@svc/shared/errors';
import { specOf, statusOf } from '@svc/shared/kinds/read';
import type { TaskWebhookSpec } from '@svc/shared/kinds/task-webhook/rules';
import { signedHeaders } from '@svc/shared/kinds/task-webhook/signing';
import type { NamespacedName } from '@svc/shared/resource';
import { timestamp, type Clock } from '../../clock.ts';
import { requireRole } from '../../registry/authorise.ts';
import type { Registry, RequestContext } from '../../registry/registry.ts';
import type { SecretResolver } from '../../secrets/ports.ts';
import type { Store, StoredObject, StoreTransaction } from '../../store/store.ts';
import { transactAgain } from '../../store/write-race.ts';
import { createTriggeredRun, labelValue, type RunOutcome } from '../create-run.ts';
import { challengeOf, EVENT_ID_MAX_CHARS, eventIdOf, isPing } from './event-id.ts';
import {
  findEvent,
  listDeliveries,
  noteDeliveries,
  putEvent,
  readDelivery,
  type DeliveryNote,
  type NewDelivery,
  type StoredDelivery,
} from './records.ts';
import { createRejections, type Rejections } from './rejections.ts';
import { createTargets, type Target, type Targets } from './targets.ts';
import { deliveryProblem, type SignedDelivery } from './verify.ts';
import { WEBHOOK } from './webhook-hooks.ts';
import type { ClosableWebhookService, IncomingDelivery, TestDelivery } from './webhook-service.ts';

export interface WebhookServiceDeps {
  readonly store: Store;
  readonly registry: Registry;
  readonly secrets: Pick<SecretResolver, 'resolveValue'>;
  readonly clock: Clock;
  readonly reportError: (error: unknown) => void;
}

interface Parts extends WebhookServiceDeps {
  readonly targets: Targets;
  readonly rejections: Rejections;
}

export function createWebhookService(deps: WebhookServiceDeps): ClosableWebhookService {
  const parts: Parts = { ...deps, targets: createTargets(deps), rejections: createRejections(deps) };
  return {
    deliver: (delivery) => deliver(parts, delivery),
    test: (context, webhook, delivery) => sendTest(parts, context, { webhook, ...delivery }),
    async deliveries(context, webhook) {
      const { metadata } = await deps.registry.get(context, { kind: WEBHOOK, ...webhook });
      return listDeliveries(deps.store, metadata.uid);
    },
    redeliver: (context, webhook, id) => redeliver(parts, context, { webhook, id }),
    async close() {
      parts.targets.close();
      await parts.rejections.close();
    },
  };
}

/** The webhook changed between the check of the delivery and the transaction. */
class Stale extends Error {}

const ROUNDS_MAX = 5;
/** One for all: the stack of an error costs as much as the check of a signature, and nobody reads it. */
const NOT_ACCEPTED = new ServiceError('unauthorized', 'The signature of the delivery was not accepted');

interface ArrivedDelivery extends IncomingDelivery {
  /** The person who sent it as a test. */
  readonly by?: string;
}

async function deliver(parts: Parts, incoming: ArrivedDelivery): Promise<DeliveryReply> {
  let body: Promise<Buffer> | undefined;
  const read = () => (body ??= incoming.read());
  for (let round = 1; ; round += 1) {
    try {
      return await deliverOnce(parts, { ...incoming, read });
    } catch (error) {
      if (!(error instanceof Stale)) throw error;
      parts.targets.forget(incoming.endpointId);
      if (round === ROUNDS_MAX) throw new ServiceError('unavailable', 'The webhook is being changed; send the delivery again');
    }
  }
}

async function deliverOnce(parts: Parts, { endpointId, header, read, by }: ArrivedDelivery): Promise<DeliveryReply> {
  const { targets, clock } = parts;
  const target = await targets.find(endpointId);
  if (!target) throw new ServiceError('not_found', 'There is no webhook at this address');
  const refuse = refusalOf(parts, target);
  if (target.spec.suspend === true) throw refuse('the webhook is suspended', new ServiceError('conflict', 'This webhook is suspended'));
  const body = await read().catch((error: unknown) => {
    throw refuse(unreadReason(error), error);
  });
  const delivery: SignedDelivery = { header, body };
  const problem = target.problem ?? deliveryProblem({ auth: target.spec.auth, secret: target.secret ?? '' }, delivery, clock.now());
  if (problem !== undefined) throw refuse(problem, NOT_ACCEPTED);
  if (isPing(target.spec, delivery)) return accept(parts, target, { body, eventId: undefined });
  const eventId = eventIdOf(target.spec, delivery);
  const challenge = eventId === undefined ? challengeOf(target.spec, delivery) : undefined;
  if (challenge !== undefined) return { ...(await accept(parts, target, { body, eventId: undefined })), challenge };
  if (eventId === undefined) throw refuse('the event id is missing', new ServiceError('invalid', 'The delivery has no event id'));
  if (eventId.length > EVENT_ID_MAX_CHARS || /[\p{Cc}\p{Surrogate}]/u.test(eventId)) {
    const message = `must be at most ${EVENT_ID_MAX_CHARS} characters without control characters and unpaired surrogates`;
    throw refuse(`the event id ${message}`, new ServiceError('invalid', `The event id ${message}`));
  }
  return accept(parts, target, { body, eventId, ...(by !== undefined && { by }) });
}

/** Counts the delivery as rejected and returns the error for its sender. */
function refusalOf({ rejections, clock }: Parts, { webhook }: Target) {
  return <E>(reason: string, error: E): E => {
    rejections.note(webhook, { time: timestamp(clock.now()), event_id: null, outcome: 'rejected', reason, task: null });
    return error;
  };
}

/** Why a body could not be read. */
function unreadReason(error: unknown): string {
  const code = error instanceof ServiceError ? error.code : undefined;
  if (code === 'too_large') return 'the body is too large';
  return code === 'timeout' ? 'the body did not arrive in time' : 'the connection ended before the body';
}

interface VerifiedDelivery {
  readonly body: Buffer;
  /** Undefined for a ping, or a check of the address. */
  readonly eventId: string | undefined;
  readonly by?: string;
}

/** Undefined reply: the run could not be created, which is noted. */
async function accept(parts: Parts, target: Target, { body, eventId, by }: VerifiedDelivery): Promise<DeliveryReply> {
  const { store, clock } = parts;
  const reply = await transactAgain(store, async (tx) => {
    const webhook = await tx.getObjectForUpdate(target.webhook);
    if (webhook?.uid !== target.webhook.uid || webhook.generation !== target.webhook.generation) throw new Stale();
    const now = clock.now();
    const note = (delivery: NewDelivery) => noteDeliveries(tx, webhook, { deliveries: [delivery], now });
    const base = { time: timestamp(now), event_id: eventId ?? null, reason: null };
    if (eventId === undefined) {
      await note({ ...base, outcome: 'ping', task: null, reason: 'a ping starts no run' });
      return { accepted: true, duplicate: false, event_id: null, task: null };
    }
    const earlier = await findEvent(tx, webhook, { eventId, now });
    if (earlier !== undefined) {
      await note({ ...base, outcome: 'duplicate', task: earlier, reason: 'the event has its run already' });
      return { accepted: true, duplicate: true, event_id: eventId, task: earlier };
    }
    const made = await createRun(parts, tx, {
      webhook,
      eventId,
      input: inputOf(target.spec, body),
      ...(by !== undefined && { alsoBy: [by] }),
    });
    if ('problem' in made) {
      await note(failedNote({ ...base, outcome: 'failed', reason: made.problem, task: null }, body));
      return undefined;
    }
    const task = `${made.task.metadata.namespace}/${made.task.metadata.name}`;
    await keepEvent(tx, webhook, { eventId, task, now });
    await note({ ...base, outcome: 'accepted', task, ...(by !== undefined && { reason: `a test by ${by}` }) });
    return { accepted: true, duplicate: false, event_id: eventId, task };
  });
  if (reply) return reply;
  throw new ServiceError('invalid', 'The delivery could not start a run; the owner of the webhook can see why');
}

interface StartedEvent {
  readonly eventId: string;
  readonly task: string;
  readonly now: number;
}

/** Further deliveries of the event within the window are duplicates. */
async function keepEvent(tx: StoreTransaction, webhook: StoredObject, { eventId, task, now }: StartedEvent): Promise<void> {
  const windowMs = (specOf(WEBHOOK, webhook).idempotency.dedupe_window_seconds ?? 0) * 1000;
  if (windowMs > 0) await putEvent(tx, webhook, { eventId, task, expiresAt: now + windowMs });
}

/** Bodies of this size at most are kept for a redelivery. */
const KEPT_BODY_MAX_BYTES = 256 * 1024;

function failedNote(note: DeliveryNote, body: Buffer): NewDelivery {
  return body.length > KEPT_BODY_MAX_BYTES ? note : { ...note, payload: { base64: body.toString('base64') } };
}

const NAME_PART_MAX = 42;
const HASH_HEX_DIGITS = 16;

function createRun(
  { registry, clock }: Parts,
  tx: StoreTransaction,
  run: {
    readonly webhook: StoredObject;
    readonly eventId: string;
    readonly input: Readonly<Record<string, string>>;
    readonly alsoBy?: readonly string[];
  },
): Promise<RunOutcome> {
  const { webhook, eventId, input, alsoBy } = run;
  const hash = createHash('sha256').update(eventId, 'utf8').digest('hex').slice(0, HASH_HEX_DIGITS);
  return createTriggeredRun(tx, registry, {
    trigger: webhook,
    taskRef: specOf(WEBHOOK, webhook).task_ref,
    name: `${webhook.name.slice(0, NAME_PART_MAX)}-${hash}`,
    labels: {
      'svc.dev/created-by': 'webhook',
      'svc.dev/task-webhook': webhook.name,
      'svc.dev/webhook-event-id': labelValue(eventId),
    },
    input: { ...input, webhook_event_id: eventId, webhook_received_at: timestamp(clock.now()), webhook_source: webhook.name },
    ...(alsoBy && { alsoBy }),
  });
}

const ENCODING_KEY = 'webhook_payload_encoding';

/** The body unchanged; as base64 where it is no UTF-8, or holds U+0000, which no database column keeps. */
function inputOf({ payload }: Pick<TaskWebhookSpec, 'payload'>, body: Buffer): Record<string, string> {
  const text = utf8Of(body);
  return text === undefined ? { [payload.input_key]: body.toString('base64'), [ENCODING_KEY]: 'base64' } : { [payload.input_key]: text };
}

function utf8Of(body: Buffer): string | undefined {
  if (body.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

interface SentTest extends TestDelivery {
  readonly webhook: NamespacedName;
}

/** Values that a header of HTTP can hold. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The secret is used only here: no answer contains it, nor a signature. */
async function sendTest(parts: Parts, context: RequestContext, { webhook: name, body, eventId }: SentTest): Promise<DeliveryReply> {
  requireRole(context, 'writer', 'sending a test delivery');
  if (!HEADER_VALUE.test(eventId))
    throw invalidFields('The test delivery', [{ path: 'eventId', message: 'must be one line of Latin-1 letters: it is sent in a header' }]);
  const found = await parts.registry.get(context, { kind: WEBHOOK, ...name });
  const endpointId = statusOf(WEBHOOK, found).endpointPath?.split('/').at(-1) ?? '';
  const target = await parts.targets.find(endpointId);
  if (!target) throw new ServiceError('conflict', `TaskWebhook ${name.namespace}/${name.name} has no address yet`);
  if (target.secret === undefined) throw new ServiceError('conflict', `The delivery cannot be signed: ${target.problem}`);
  const encoder = new TextEncoder();
  const bytes = encoder.encode(body);
  const delivery = { spec: target.spec, secret: encoder.encode(target.secret), body: bytes, eventId, now: parts.clock.now() };
  const signed = await signedHeaders(delivery).catch((error: unknown) => {
    throw error instanceof RangeError ? new ServiceError('conflict', `The delivery cannot be signed: ${error.message}`) : error;
  });
  const headers = new Headers(signed);
  return deliver(parts, {
    endpointId,
    header: (header) => headers.get(header) ?? undefined,
    read: async () => Buffer.from(bytes),
    by: context.identity.name,
  });
}

interface Redelivery {
  readonly webhook: NamespacedName;
  readonly id: string;
}

async function redeliver(parts: Parts, context: RequestContext, { webhook: name, id }: Redelivery): Promise<{ task: string }> {
  requireRole(context, 'writer', 'starting a run from a delivery');
  const { registry, store, clock } = parts;
  const found = await registry.get(context, { kind: WEBHOOK, ...name });
  const made = await transactAgain(store, async (tx) => {
    const webhook = await tx.getObjectForUpdate({ kind: WEBHOOK, ...name });
    const delivery = webhook?.uid === found.metadata.uid ? await readDelivery(tx, webhook.uid, id) : undefined;
    if (!webhook || !delivery)
      throw new ServiceError('not_found', `TaskWebhook ${name.namespace}/${name.name} lists no delivery ${id.slice(0, 32)}`);
    if (specOf(WEBHOOK, webhook).suspend === true) throw new ServiceError('conflict', 'The webhook is suspended; resume it first');
    const eventId = delivery.event_id ?? '';
    const input = await inputAgain(tx, webhook, delivery);
    const outcome = await createRun(parts, tx, { webhook, eventId, input, alsoBy: [context.identity.name] });
    if ('problem' in outcome) return outcome;
    const task = `${outcome.task.metadata.namespace}/${outcome.task.metadata.name}`;
    const now = clock.now();
    // The sender of a failed delivery may retry it as well.
    const isFirst = delivery.outcome === 'failed' && (await findEvent(tx, webhook, { eventId, now })) === undefined;
    if (isFirst) await keepEvent(tx, webhook, { eventId, task, now });
    const reason = `delivery ${id} was sent again by ${context.identity.name}`;
    const note: NewDelivery = { time: timestamp(now), event_id: eventId, outcome: 'accepted', reason, task };
    await noteDeliveries(tx, webhook, { deliveries: [note], now });
    return { task };
  });
  if ('task' in made) return made;
  throw new ServiceError('conflict', `The delivery cannot start a run: ${made.problem}`);
}

/** The input that the delivery gave its run, or gives one now. */
async function inputAgain(tx: StoreTransaction, webhook: StoredObject, delivery: StoredDelivery): Promise<Record<string, string>> {
  const { outcome, task, payload, id } = delivery;
  const spec = specOf(WEBHOOK, webhook);
  if (outcome === 'rejected')
    throw new ServiceError('conflict', `Delivery ${id} was rejected (${delivery.reason ?? ''}); it cannot be sent again`);
  if (payload) return inputOf(spec, Buffer.from(payload.base64, 'base64'));
  const [namespace = '', name = ''] = task?.split('/') ?? [];
  const run = task === null ? undefined : await tx.getObject({ kind: 'Task', namespace, name });
  if (!run)
    throw new ServiceError(
      'conflict',
      `The body of delivery ${id} is no longer stored: ${task === null ? 'it had no run' : `Task ${task} was deleted`}`,
    );
  const { input } = specOf('Task', run);
  const keys = [spec.payload.input_key, ENCODING_KEY];
  return Object.fromEntries(keys.flatMap((key) => (input[key] === undefined ? [] : [[key, input[key]]])));
}
