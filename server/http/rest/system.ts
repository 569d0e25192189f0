// Routes about the server itself: health, readiness, metrics, capabilities, namespaces.
import { timestamp } from '../../clock.ts';
import { collectReadiness, readinessBody } from '../readiness.ts';
import { json, type Reply, type Route } from '../route.ts';
import type { HttpOptions, HttpServices } from '../services.ts';
import { ref } from './schemas.ts';

const TAG = 'System';

async function readiness({ checkReady, log }: HttpServices): Promise<Reply> {
  const reportError = (error: unknown) => log.error({ err: error }, 'readiness check failed');
  const report = await collectReadiness(checkReady, { reportError });
  const body = readinessBody(report);
  return report.status === 'ok' ? json(body) : json(body, { status: 503, headers: { 'Retry-After': '1' } });
}

export function probeRoutes(services: HttpServices): Route[] {
  const health = { 200: { description: 'Yes.', schema: ref('Health') } };
  return [
    {
      method: 'GET',
      path: '/healthz',
      access: 'public',
      tag: TAG,
      operationId: 'getHealth',
      summary: 'Is the process up',
      responses: health,
      handle: async () => json({ status: 'ok' }),
    },
    {
      method: 'GET',
      path: '/readyz',
      access: 'public',
      tag: TAG,
      operationId: 'getReadiness',
      summary: 'Can the server do its work',
      description:
        '503, naming the failing checks, while the store does not answer, the worker of this process has stopped, or the server shuts down.',
      responses: {
        200: { description: 'Yes.', schema: ref('Readiness') },
        503: { description: 'No.', schema: ref('Readiness'), headers: { 'Retry-After': 'Seconds until the next try.' } },
      },
      handle: () => readiness(services),
    },
    {
      method: 'GET',
      path: '/metrics',
      access: 'reader',
      tag: TAG,
      operationId: 'getMetrics',
      summary: 'Metrics for Prometheus',
      responses: { 200: { description: 'Text exposition format.', schema: { type: 'string' }, contentType: 'text/plain' } },
      handle: async () => ({
        type: 'text',
        status: 200,
        contentType: services.metrics.contentType,
        text: await services.metrics.metrics(),
      }),
    },
  ];
}

export function systemRoutes({ registry, clock }: HttpServices, options: HttpOptions): Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/capabilities',
      access: 'reader',
      tag: TAG,
      operationId: 'getCapabilities',
      summary: 'What this deployment can do',
      responses: { 200: { description: 'The capabilities.', schema: ref('Capabilities') } },
      handle: async () => json({ generated_at: timestamp(clock.now()), version: options.version, capabilities: options.capabilities() }),
    },
    {
      method: 'GET',
      path: '/v1/namespaces',
      access: 'reader',
      tag: TAG,
      operationId: 'listNamespaces',
      summary: 'List namespaces',
      responses: { 200: { description: 'The namespaces in use.', schema: ref('Namespaces') } },
      handle: async (call) => json({ namespaces: await registry.listNamespaces(call.context) }),
    },
  ];
}
