// Deliveries to webhooks, which anybody may send, and the list of deliveries for their owners. Translates; the webhook service decides.
import { DELIVERY_MAX_BYTES } from '@svc/shared/kinds/entry-limits';
import type { WebhookService } from '../../triggers/webhooks/webhook-service.ts';
import { json, type Route } from '../route.ts';
import { namespaceParameter, objectOf } from './parameters.ts';
import { pageOf, ref } from './schemas.ts';

const TAG = 'TaskWebhook';

export function webhookRoutes(webhooks: WebhookService): Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/webhook-deliveries/{endpoint_id}',
      access: 'public',
      isLimited: true,
      errors: ['unauthorized', 'rate_limited'],
      tag: TAG,
      operationId: 'deliverWebhook',
      summary: 'Deliver an event to a webhook',
      description:
        'The path is `status.endpointPath` of the TaskWebhook; its `spec.auth` says how the delivery is signed, and the signature is the only way in. ' +
        'An event starts one run, however often it is delivered within the window. 404 for an unknown endpoint, 409 while the webhook is suspended, ' +
        '401 for an invalid signature or time, 400 without an event id and when the run cannot be created, ' +
        '429 for a client address above the request limit.',
      body: {
        description: 'The event, of any content type.',
        schema: {},
        contentTypes: ['*/*'],
        maxBytes: DELIVERY_MAX_BYTES,
        optional: true,
      },
      responses: {
        200: { description: 'A check of the address, by Slack.', schema: ref('DeliveryChallenge') },
        202: { description: 'The event has its run.', schema: ref('DeliveryReply') },
      },
      async handle(call) {
        const endpointId = call.params['endpoint_id'] ?? '';
        const header = (name: string) => call.header(name.toLowerCase());
        const { challenge, ...reply } = await webhooks.deliver({ endpointId, header, read: () => call.readBytes() });
        return challenge === undefined ? json(reply, { status: 202 }) : json({ challenge });
      },
    },
    {
      method: 'GET',
      path: '/v1/task-webhooks/{name}/deliveries',
      access: 'reader',
      tag: TAG,
      operationId: 'listDeliveries',
      summary: 'List the newest deliveries of a webhook',
      description:
        'At most 100, newest first. Of a flood of refused deliveries some are listed and all are counted. Bodies and headers are not shown.',
      query: [namespaceParameter],
      responses: { 200: { description: 'The deliveries.', schema: pageOf(ref('Delivery')) } },
      handle: async (call) => json({ items: await webhooks.deliveries(call.context, objectOf(call)) }),
    },
    {
      method: 'POST',
      path: '/v1/task-webhooks/{name}/deliveries/{delivery_id}/redeliver',
      access: 'writer',
      tag: TAG,
      operationId: 'redeliver',
      summary: 'Start another run from a delivery',
      description: '409 for a delivery that was refused, and when its body was deleted: the body is that of its run.',
      query: [namespaceParameter],
      responses: { 202: { description: 'The run is created.', schema: ref('Redelivered') } },
      handle: async (call) =>
        json(await webhooks.redeliver(call.context, objectOf(call), call.params['delivery_id'] ?? ''), { status: 202 }),
    },
  ];
}
