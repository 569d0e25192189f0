// Deliveries to webhooks, as the API returns them.

export type DeliveryOutcome = 'accepted' | 'duplicate' | 'rejected' | 'failed' | 'ping';

/** One line of the list of deliveries; bodies and headers are not in it. */
export interface DeliveryRecord {
  readonly id: string;
  /** RFC 3339. */
  readonly time: string;
  readonly event_id: string | null;
  readonly outcome: DeliveryOutcome;
  /** One sentence; null for an accepted delivery. */
  readonly reason: string | null;
  /** `namespace/name` of the run. */
  readonly task: string | null;
}

/** Body of the answer to a delivery. */
export interface DeliveryReply {
  readonly accepted: boolean;
  readonly duplicate: boolean;
  readonly event_id: string | null;
  /** `namespace/name` of the run; null for a ping. */
  readonly task: string | null;
  /** Set for a check of the address: it is the whole answer then. */
  readonly challenge?: string;
}
