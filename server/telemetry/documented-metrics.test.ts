// The page about metrics and the metrics themselves name each other, queries and alerts included.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { createHttpMetrics } from '../http/http-metrics.ts';
import { STREAM_PURPOSES } from '../http/sse/stream-hub.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import { silentLog } from '../testing/engine.ts';
import { createTelemetry } from './create-telemetry.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/observability.md'), 'utf8');

interface Metric {
  readonly name: string;
  readonly labelNames: readonly string[];
}

/** Every metric of a server that sends traces. */
async function existing(): Promise<readonly Metric[]> {
  const store = await openSqliteStore({ path: ':memory:', clock: systemClock });
  const options = { store, clock: systemClock, log: silentLog, version: '1.2.3', instance: 'here', env: {} };
  const telemetry = await createTelemetry({ ...options, otlpEndpoint: 'http://127.0.0.1:9' });
  createHttpMetrics(telemetry.metrics, () => 0);
  await telemetry.stop();
  await store.close();
  return telemetry.metrics.getMetricsAsArray() as unknown as readonly Metric[];
}

test('the documented metrics are those that exist', async () => {
  const named = page.match(/\b(svc|process|nodejs)_[a-z_]+/g) ?? [];
  const families = new Set(named.map((name) => name.replace(/_bucket$/, '')));
  expect([...families].sort()).toEqual((await existing()).map(({ name }) => name).sort());
});

test('the documented labels are those that exist', async () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  for (const { name, labelNames } of await existing()) {
    const row = rows.find((line) => line.includes(`\`${name}\``));
    const labels = (row?.split('|')[2]?.match(/\w+/g) ?? []).sort();
    expect({ name, labels }).toEqual({ name, labels: [...labelNames].sort() });
  }
});

test('the documented purposes of open streams are those that exist', () => {
  const row = page.split('\n').find((line) => line.includes('`svc_http_open_streams`'));
  expect(row?.split('|')[3]?.match(/`\w+`/g)?.sort()).toEqual(STREAM_PURPOSES.map((purpose) => `\`${purpose}\``).sort());
});
