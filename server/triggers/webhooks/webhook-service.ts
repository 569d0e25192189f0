// Port of webhooks: signed deliveries in, and what became of them.
import type { DeliveryRecord, DeliveryReply } from '@svc/shared/api/webhooks';
import type { NamespacedName } from '@svc/shared/resource';
import type { RequestContext } from '../../registry/registry.ts';

export interface IncomingDelivery {
  /** Last segment of the path. */
  readonly endpointId: string;
  /** Value of a request header, by any case. */
  readonly header: (name: string) => string | undefined;
  /** Reads the body, within its limits; not called before the endpoint is known and open. */
  readonly read: () => Promise<Buffer>;
}

export interface TestDelivery {
  readonly body: string;
  readonly eventId: string;
}

export interface WebhookService {
  /**
   * Resolves when the run is durable: once for each event id, however many deliveries come at once on however many servers. Rejects with `not_found` for
   * an unknown endpoint, `conflict` for a suspended webhook, `too_large`, `unauthorized` for an invalid signature or time, `invalid` without
   * an event id and when the run cannot be created. The sentences reveal nothing of the webhook; its owner finds the reason in the list of deliveries.
   */
  deliver(delivery: IncomingDelivery): Promise<DeliveryReply>;
  /**
   * Signs a delivery with the webhook's own secret and takes it like any other; the caller counts as a creator of its run. Rejects with `conflict` while
   * the webhook has no address, and when its secret cannot sign.
   */
  test(context: RequestContext, webhook: NamespacedName, delivery: TestDelivery): Promise<DeliveryReply>;
  /** The newest deliveries, newest first. */
  deliveries(context: RequestContext, webhook: NamespacedName): Promise<DeliveryRecord[]>;
  /** Starts another run from a delivery. `conflict` for a refused delivery, and when its body is no longer kept. */
  redeliver(context: RequestContext, webhook: NamespacedName, id: string): Promise<{ readonly task: string }>;
}

export interface ClosableWebhookService extends WebhookService {
  /** Writes what is counted and not yet stored. */
  close(): Promise<void>;
}
