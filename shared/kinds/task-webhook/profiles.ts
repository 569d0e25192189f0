// Signing profiles of a TaskWebhook: the defaults of each and the fields of `auth` it reads.
import type { HmacField, WrittenTaskWebhookAuth, WEBHOOK_PROFILES } from './schema.ts';

type ProfileName = (typeof WEBHOOK_PROFILES)[number];
/** The fields of `auth` that have a meaning in some profiles only. */
export type ProfileField = HmacField | 'signature_prefix' | 'timestamp_header';

export interface WebhookProfile {
  readonly authDefaults: Partial<WrittenTaskWebhookAuth>;
  readonly eventIdHeader: string;
  readonly dedupeWindowSeconds: number;
  readonly reads: readonly ProfileField[];
}

const DAY_SECONDS = 86_400;

/** Profile names accepted on write → stored names. */
export const PROFILE_ALIASES: ReadonlyMap<string, ProfileName> = new Map([['github', 'codehost']]);

export const PROFILE_FIELDS = [
  'signature_prefix',
  'timestamp_header',
  'algorithm',
  'payload_format',
  'payload_prefix',
  'payload_separator',
  'signature_encoding',
  'header_format',
  'signature_key',
  'timestamp_key',
] as const satisfies readonly ProfileField[];

const profiles: Record<ProfileName, WebhookProfile> = {
  generic: {
    authDefaults: { signature_header: 'X-Signature', signature_prefix: 'sha256=', timestamp_header: 'X-Timestamp' },
    eventIdHeader: 'X-Event-Id',
    dedupeWindowSeconds: DAY_SECONDS,
    reads: ['signature_prefix', 'timestamp_header'],
  },
  codehost: {
    authDefaults: { signature_header: 'X-Hub-Signature-256', signature_prefix: 'sha256=' },
    eventIdHeader: 'X-CodeHost-Delivery',
    dedupeWindowSeconds: 3 * DAY_SECONDS,
    reads: ['signature_prefix'],
  },
  hmac: {
    authDefaults: {
      algorithm: 'sha256',
      payload_format: 'body',
      payload_separator: '.',
      signature_encoding: 'hex',
      header_format: 'plain',
    },
    eventIdHeader: 'X-Event-Id',
    dedupeWindowSeconds: DAY_SECONDS,
    reads: PROFILE_FIELDS,
  },
  shared_token: {
    authDefaults: {},
    eventIdHeader: 'X-Event-Id',
    dedupeWindowSeconds: DAY_SECONDS,
    reads: ['signature_prefix'],
  },
};

/** By the stored profile name; an unknown name has no profile. */
export const PROFILES: ReadonlyMap<string, WebhookProfile> = new Map(Object.entries(profiles));

/** Paths of the fields that have defaults in some profile. */
export const PROFILE_DEFAULTS: readonly string[] = [
  ...new Set(Object.values(profiles).flatMap(({ authDefaults }) => Object.keys(authDefaults).map((field) => `auth.${field}`))),
  'idempotency.event_id_header',
  'idempotency.dedupe_window_seconds',
];
