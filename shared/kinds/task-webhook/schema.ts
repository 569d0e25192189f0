// Shapes of TaskWebhook: runs created from a template Task by signed deliveries.
import { z } from 'zod';
import { commonStatus, flag, group, integer, requiredText, text } from '../fields.ts';

export const WEBHOOK_PROFILES = ['generic', 'codehost', 'hmac', 'shared_token'] as const;
export const HMAC_ALGORITHMS = ['sha256', 'sha1', 'sha512'] as const;
export const HMAC_PAYLOAD_FORMATS = ['body', 'timestamp_dot_body', 'prefix_timestamp_body'] as const;
export const SIGNATURE_ENCODINGS = ['hex', 'base64'] as const;
export const HEADER_FORMATS = ['plain', 'kv_pairs'] as const;
export const PAYLOAD_MODES = ['raw'] as const;

/** The fields of `auth` that only profile hmac reads. */
const hmacFields = {
  algorithm: text('Hash function of the HMAC. Profile hmac only.', { defaultText: 'sha256', values: HMAC_ALGORITHMS }),
  payload_format: text(
    'What is signed: the body; timestamp, separator and body; or payload_prefix, timestamp and body joined by the separator. Profile hmac only.',
    { defaultText: 'body', values: HMAC_PAYLOAD_FORMATS },
  ),
  payload_prefix: text('First part of the signed text; required by prefix_timestamp_body, without effect elsewhere. Profile hmac only.'),
  payload_separator: text('Separator of the parts of the signed text. Profile hmac only.', { defaultText: '.' }),
  signature_encoding: text('How the signature is written. Profile hmac only.', { defaultText: 'hex', values: SIGNATURE_ENCODINGS }),
  header_format: text('Whether the header holds the `plain` signature or `kv_pairs` such as `t=…,v1=…`. Profile hmac only.', {
    defaultText: 'plain',
    values: HEADER_FORMATS,
  }),
  signature_key: text('Key of the signature among the pairs; required by kv_pairs, without effect elsewhere. Profile hmac only.'),
  timestamp_key: text('Key of the timestamp among the pairs of kv_pairs, without effect elsewhere. Profile hmac only.'),
};

const auth = group('How a delivery proves where it comes from.', {
  profile: text('The signing scheme; the alias `github` is stored as `codehost`.', { defaultText: 'generic', values: WEBHOOK_PROFILES }),
  secret_ref: requiredText('The Secret with the signing key or static token.', { format: 'ref:Secret' }),
  signature_header: text('Header that carries the signature, or the token of profile shared_token. Required by hmac and shared_token.', {
    defaultText: 'X-Signature (generic), X-Hub-Signature-256 (codehost)',
  }),
  signature_prefix: text('Text before the signature in its header.', { defaultText: 'sha256= (generic, codehost)' }),
  timestamp_header: text('Header that carries the time of signing, for profiles generic and hmac.', {
    defaultText: 'X-Timestamp (generic)',
  }),
  max_skew_seconds: integer("How far, in seconds, a delivery's timestamp may be from the server's clock.", { defaultText: '300' }),
  ...hmacFields,
});

export const taskWebhookSpec = z.strictObject({
  task_ref: requiredText('The template Task to run, as name or namespace/name.', { format: 'ref:Task' }),
  suspend: flag('Rejects deliveries while true.'),
  auth,
  idempotency: group('How a repeated delivery is recognised.', {
    event_id_header: text('Header that carries the event id.', { defaultText: 'X-Event-Id, X-CodeHost-Delivery (codehost)' }),
    event_id_from_body: text('Dot-separated path of the event id in the JSON body, read when the header is absent.'),
    dedupe_window_seconds: integer('How long, in seconds, an event id is remembered.', { defaultText: '86400, 259200 (codehost)' }),
  }),
  payload: group('How a delivery reaches the Task.', {
    mode: text('`raw` hands over the body as text.', { defaultText: 'raw', values: PAYLOAD_MODES }),
    input_key: text('Key of the Task input that holds the payload.', { defaultText: 'webhook_payload' }),
  }),
});

export const taskWebhookStatus = z.strictObject({
  ...commonStatus,
  endpointID: text('The secret last segment of the endpoint path; stable for the life of the webhook.'),
  endpointPath: text('Where to send deliveries.'),
  lastDeliveryTime: text('When a delivery last arrived.', { format: 'date-time' }),
  lastEventID: text('Event id of the delivery accepted last.'),
  lastTriggeredTask: text('The Task made last, as namespace/name.', { format: 'ref:Task' }),
  acceptedCount: integer('Deliveries accepted.'),
  duplicateCount: integer('Deliveries recognised as repetitions.'),
  rejectedCount: integer('Deliveries rejected.'),
});

export type WrittenTaskWebhookSpec = z.infer<typeof taskWebhookSpec>;
export type WrittenTaskWebhookAuth = NonNullable<WrittenTaskWebhookSpec['auth']>;
export type HmacField = keyof typeof hmacFields;
