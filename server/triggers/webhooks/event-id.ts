// Event id of a delivery: a header, or a field of the JSON body; and deliveries that are no events. Pure.
import { readJson, readJsonObject } from '@svc/shared/json';
import { sourceAt } from '@svc/shared/json-text';
import type { TaskWebhookSpec } from '@svc/shared/kinds/task-webhook/rules';
import type { SignedDelivery } from './verify.ts';

/** Longer ids are refused: they are part of an index. */
export const EVENT_ID_MAX_CHARS = 512;

const CODEHOST_HEADER = 'X-CodeHost-Delivery';
/** Header of GitHub, which the profile codehost accepts in place of its own. */
const GITHUB_HEADER = 'X-GitHub-Delivery';

/** The event id; undefined when the delivery has none. */
export function eventIdOf({ auth, idempotency }: TaskWebhookSpec, { header, body }: SignedDelivery): string | undefined {
  const name = idempotency.event_id_header;
  const inHeader = name === undefined ? undefined : (header(name) ?? (isCodehost(auth.profile, name) ? header(GITHUB_HEADER) : undefined));
  if (inHeader !== undefined && inHeader.trim() !== '') return inHeader.trim();
  const path = idempotency.event_id_from_body;
  return path === undefined ? undefined : fieldOf(body, path.split('.'));
}

const isCodehost = (profile: string, name: string): boolean =>
  profile === 'codehost' && name.toLowerCase() === CODEHOST_HEADER.toLowerCase();

/** A text, or the digits of a number as they are written: an id of 20 digits must not be rounded. */
function fieldOf(body: Buffer, path: readonly string[]): string | undefined {
  const text = body.toString('utf8');
  if (readJson(text) === undefined) return undefined;
  const source = sourceAt(text, path) ?? '';
  if (/^-?\d/.test(source)) return source;
  const value: unknown = source.startsWith('"') ? JSON.parse(source) : undefined;
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Whether the sender only says that the webhook is set up; it starts no run. */
export function isPing({ auth }: TaskWebhookSpec, { header }: SignedDelivery): boolean {
  return auth.profile === 'codehost' && (header('X-GitHub-Event') ?? header('X-CodeHost-Event'))?.trim().toLowerCase() === 'ping';
}

const CHALLENGE_MAX_CHARS = 1_000;

/** The text that Slack expects back before it delivers events to an address. */
export function challengeOf({ auth }: TaskWebhookSpec, { body }: SignedDelivery): string | undefined {
  if (auth.profile !== 'hmac') return undefined;
  const { type, challenge } = readJsonObject(body.toString('utf8')) ?? {};
  if (type !== 'url_verification' || typeof challenge !== 'string' || challenge.length > CHALLENGE_MAX_CHARS) return undefined;
  return challenge;
}
