// Rules of TaskWebhook: profile defaults, and the fields each profile needs to verify a delivery.
import type { FieldError } from '../../errors.ts';
import { defined, keyword, trimmed } from '../clean.ts';
import type { Reference, RuleContext } from '../define.ts';
import { atLeast, objectRef, oneOf } from '../field-rules.ts';
import { refTo } from '../references.ts';
import { PROFILE_ALIASES, PROFILE_FIELDS, PROFILES } from './profiles.ts';
import {
  HEADER_FORMATS,
  HMAC_ALGORITHMS,
  HMAC_PAYLOAD_FORMATS,
  PAYLOAD_MODES,
  SIGNATURE_ENCODINGS,
  type WrittenTaskWebhookAuth,
  type WrittenTaskWebhookSpec,
  WEBHOOK_PROFILES,
} from './schema.ts';

const MAX_SKEW_DEFAULT_SECONDS = 300;
const INPUT_KEY_DEFAULT = 'webhook_payload';
/** Input keys of a webhook's run that the service sets. */
const RESERVED_INPUT_KEYS: readonly string[] = ['webhook_event_id', 'webhook_received_at', 'webhook_source'];
/** RFC 9110 section 5.1: a field name is a token. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export function normalizeTaskWebhook(spec: WrittenTaskWebhookSpec) {
  const auth = normalizeAuth(spec.auth ?? { secret_ref: '' });
  const profile = PROFILES.get(auth.profile ?? '');
  return defined({
    ...spec,
    task_ref: spec.task_ref.trim(),
    auth,
    idempotency: defined({
      event_id_header: trimmed(spec.idempotency?.event_id_header) ?? profile?.eventIdHeader,
      event_id_from_body: trimmed(spec.idempotency?.event_id_from_body),
      dedupe_window_seconds: spec.idempotency?.dedupe_window_seconds ?? profile?.dedupeWindowSeconds,
    }),
    payload: {
      mode: keyword(spec.payload?.mode) ?? 'raw',
      input_key: trimmed(spec.payload?.input_key) ?? INPUT_KEY_DEFAULT,
    },
  });
}

/** The spec as stored: defaults filled in, values cleaned. */
export type TaskWebhookSpec = ReturnType<typeof normalizeTaskWebhook>;
type TaskWebhookAuth = TaskWebhookSpec['auth'];

/** Prefixes and the separator are kept as they are: blanks and the empty text mean something there. */
function normalizeAuth(auth: WrittenTaskWebhookAuth) {
  const profile = profileName(auth.profile);
  const given = defined({
    ...auth,
    signature_header: trimmed(auth.signature_header),
    timestamp_header: trimmed(auth.timestamp_header),
    algorithm: keyword(auth.algorithm),
    payload_format: keyword(auth.payload_format),
    signature_encoding: keyword(auth.signature_encoding),
    header_format: keyword(auth.header_format),
    signature_key: trimmed(auth.signature_key),
    timestamp_key: trimmed(auth.timestamp_key),
  });
  const defaults = PROFILES.get(profile)?.authDefaults;
  return { max_skew_seconds: MAX_SKEW_DEFAULT_SECONDS, ...defaults, ...given, profile, secret_ref: auth.secret_ref.trim() };
}

function profileName(written: string | undefined): string {
  const word = keyword(written) ?? 'generic';
  return PROFILE_ALIASES.get(word) ?? word;
}

export function validateTaskWebhook(spec: TaskWebhookSpec): FieldError[] {
  const { idempotency, payload } = spec;
  return [
    ...objectRef('spec.task_ref', spec.task_ref),
    ...(spec.auth ? authErrors(spec.auth) : []),
    ...headerName('spec.idempotency.event_id_header', idempotency?.event_id_header),
    ...bodyPath('spec.idempotency.event_id_from_body', idempotency?.event_id_from_body),
    ...atLeast('spec.idempotency.dedupe_window_seconds', idempotency?.dedupe_window_seconds, 0),
    ...oneOf('spec.payload.mode', payload?.mode, PAYLOAD_MODES),
    ...inputKey('spec.payload.input_key', payload?.input_key),
  ];
}

function authErrors(auth: TaskWebhookAuth): FieldError[] {
  return [
    ...oneOf('spec.auth.profile', auth.profile, WEBHOOK_PROFILES),
    ...objectRef('spec.auth.secret_ref', auth.secret_ref),
    ...headerName('spec.auth.signature_header', auth.signature_header),
    ...headerName('spec.auth.timestamp_header', auth.timestamp_header),
    ...atLeast('spec.auth.max_skew_seconds', auth.max_skew_seconds, 0),
    ...unreadFields(auth),
    ...(auth.profile === 'hmac' || auth.profile === 'shared_token' ? needed(auth, 'signature_header', `profile ${auth.profile}`) : []),
    ...(auth.profile === 'hmac' ? hmacErrors(auth) : []),
  ];
}

/** A field the profile never reads would look like a safeguard and be none. */
function unreadFields(auth: TaskWebhookAuth): FieldError[] {
  const profile = PROFILES.get(auth.profile ?? '');
  if (profile === undefined) return [];
  return PROFILE_FIELDS.filter((field) => auth[field] !== undefined && !profile.reads.includes(field)).map((field) => ({
    path: `spec.auth.${field}`,
    message: `has no meaning for profile ${auth.profile}`,
  }));
}

function hmacErrors(auth: TaskWebhookAuth): FieldError[] {
  const asPairs = auth.header_format === 'kv_pairs';
  const withPrefix = auth.payload_format === 'prefix_timestamp_body';
  const withTimestamp = withPrefix || auth.payload_format === 'timestamp_dot_body';
  const timestampField = asPairs ? 'timestamp_key' : 'timestamp_header';
  const hasTimestamp = auth.timestamp_header !== undefined || (asPairs && auth.timestamp_key !== undefined);
  return [
    ...oneOf('spec.auth.algorithm', auth.algorithm, HMAC_ALGORITHMS),
    ...oneOf('spec.auth.payload_format', auth.payload_format, HMAC_PAYLOAD_FORMATS),
    ...oneOf('spec.auth.signature_encoding', auth.signature_encoding, SIGNATURE_ENCODINGS),
    ...oneOf('spec.auth.header_format', auth.header_format, HEADER_FORMATS),
    ...(asPairs ? needed(auth, 'signature_key', 'header_format kv_pairs') : []),
    ...(withPrefix ? needed(auth, 'payload_prefix', 'payload_format prefix_timestamp_body') : []),
    ...(withTimestamp && !hasTimestamp ? needed(auth, timestampField, `payload_format ${auth.payload_format}`) : []),
  ];
}

/** Fields of profile hmac that other fields make idle: the spec is complete without them, and none is a safeguard. */
export function adviseTaskWebhook({ auth }: TaskWebhookSpec): FieldError[] {
  if (auth.profile !== 'hmac') return [];
  return [
    ...(auth.header_format === 'plain' ? idle(auth, ['signature_key', 'timestamp_key'], 'header_format kv_pairs') : []),
    ...(auth.payload_format === 'prefix_timestamp_body' ? [] : idle(auth, ['payload_prefix'], 'payload_format prefix_timestamp_body')),
  ];
}

function idle(auth: TaskWebhookAuth, fields: readonly (keyof TaskWebhookAuth)[], only: string): FieldError[] {
  return fields
    .filter((field) => auth[field] !== undefined && auth[field] !== '')
    .map((field) => ({ path: `spec.auth.${field}`, message: `has no effect without ${only}` }));
}

function needed(auth: TaskWebhookAuth, field: keyof TaskWebhookAuth, by: string): FieldError[] {
  return auth[field] === undefined || auth[field] === '' ? [{ path: `spec.auth.${field}`, message: `is required by ${by}` }] : [];
}

function headerName(path: string, value: string | undefined): FieldError[] {
  return value === undefined || HEADER_NAME.test(value) ? [] : [{ path, message: `must be the name of an HTTP header, not "${value}"` }];
}

function bodyPath(path: string, value: string | undefined): FieldError[] {
  if (value === undefined || value.split('.').every((segment) => segment.trim() !== '')) return [];
  return [{ path, message: `must be field names joined by single dots, not "${value}"` }];
}

function inputKey(path: string, value: string | undefined): FieldError[] {
  if (value === undefined || !RESERVED_INPUT_KEYS.includes(value)) return [];
  return [{ path, message: `must not be "${value}", which the service fills in itself` }];
}

export function taskWebhookReferences(spec: TaskWebhookSpec, context: RuleContext): Reference[] {
  return [
    ...refTo({ kind: 'Task', path: 'spec.task_ref' }, spec.task_ref, context),
    ...refTo({ kind: 'Secret', path: 'spec.auth.secret_ref' }, spec.auth?.secret_ref, context),
  ];
}
