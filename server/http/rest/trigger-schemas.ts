// JSON Schemas of bodies about webhooks, schedules and the sealing key.
import { SLOT_OUTCOMES } from '@svc/shared/api/schedules';
import { SEALING_ALGORITHM } from '@svc/shared/sealing/sealing';
import type { JsonSchema } from '../route.ts';
import { arrayOf, object, string, time } from './schema-parts.ts';

export const triggerSchemas: Readonly<Record<string, JsonSchema>> = {
  DeliveryReply: object({
    accepted: { type: 'boolean' },
    duplicate: { type: 'boolean', description: 'The event had its run already.' },
    event_id: { type: ['string', 'null'] },
    task: { type: ['string', 'null'], description: 'The run, as namespace/name; null for a ping.' },
  }),
  DeliveryChallenge: object({ challenge: string }),
  Delivery: object({
    id: string,
    time,
    event_id: { type: ['string', 'null'] },
    outcome: { type: 'string', enum: ['accepted', 'duplicate', 'rejected', 'failed', 'ping'] },
    reason: { type: ['string', 'null'] },
    task: { type: ['string', 'null'] },
  }),
  Redelivered: object({ task: string }),
  SchedulePreview: object({ time_zone: string, items: arrayOf(time) }),
  ScheduleSlot: object({
    id: string,
    slot: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'The due time, the newest of several; null for a run that was started by hand.',
    },
    time,
    outcome: { type: 'string', enum: SLOT_OUTCOMES },
    count: {
      type: 'integer',
      description: 'Slots in a row that were left out for this reason, or runs of the backfill; counting stops at 1,000.',
    },
    reason: { type: ['string', 'null'] },
    task: { type: ['string', 'null'] },
    phase: { type: ['string', 'null'], description: 'Phase in which the run ended; null until then.' },
  }),
  Triggered: object({ task: string }),
  BackfillRequest: {
    ...object({
      from: { ...time, description: 'Beginning of the range.' },
      to: { ...time, description: 'End of the range, which belongs to it; not in the future.' },
    }),
    additionalProperties: false,
  },
  ScheduleBackfill: object({
    time_zone: string,
    items: arrayOf(
      object({
        slot: { ...time, description: 'The due time.' },
        task: { type: ['string', 'null'], description: 'Its run, as namespace/name; null in a preview where it has none.' },
        created: { type: 'boolean', description: 'This request started the run.' },
      }),
    ),
    unrecorded_before: {
      type: ['string', 'null'],
      format: 'date-time',
      description:
        'Slots that were handled earlier have no record: one whose run was deleted counts as one without a run. Null: there is none in the range.',
    },
  }),
  SealingKey: object({
    keyId: { type: 'string', description: '`sha256:` and the first 16 hex digits of the SHA-256 of the SPKI DER.' },
    algorithm: { type: 'string', const: SEALING_ALGORITHM },
    publicKeyPEM: string,
  }),
};
