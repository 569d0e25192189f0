// Where spans go, as a table of flags and variables.
import { describe, expect, test } from 'vitest';
import { readOtlpSettings } from './otlp-settings.ts';
import { isSampled, traceIdOf } from './span-ids.ts';

const BASE = 'http://collector:4318';

describe('the endpoint', () => {
  test.each([
    ['nothing is configured', undefined, {}, undefined],
    ['a flag', BASE, {}, `${BASE}/v1/traces`],
    ['a flag with a slash', `${BASE}/`, {}, `${BASE}/v1/traces`],
    ['a flag with a path, which is then the whole path', `${BASE}/otlp/mine`, {}, `${BASE}/otlp/mine`],
    ['the general variable', undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: BASE }, `${BASE}/v1/traces`],
    [
      'the general variable with a path, which is a base',
      undefined,
      { OTEL_EXPORTER_OTLP_ENDPOINT: `${BASE}/otlp/` },
      `${BASE}/otlp/v1/traces`,
    ],
    [
      'the variable for traces, as it is',
      undefined,
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://other:1', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${BASE}/x` },
      `${BASE}/x`,
    ],
    ['the flag over the variables', BASE, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://other:1' }, `${BASE}/v1/traces`],
    ['nothing when the SDK is off', BASE, { OTEL_SDK_DISABLED: 'TRUE' }, undefined],
    ['nothing when traces have no exporter', BASE, { OTEL_TRACES_EXPORTER: 'none' }, undefined],
    ['empty variables count as unset', undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_TRACES_SAMPLER: '' }, undefined],
  ])('%s', (_title, flag, env, url) => {
    expect(readOtlpSettings(flag, env)?.url).toBe(url);
  });

  test.each(['collector:4318', 'grpc://collector:4317', 'nonsense'])('is refused when it is no http URL: %s', (value) => {
    expect(() => readOtlpSettings(undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: value })).toThrow(/^OTEL_EXPORTER_OTLP_ENDPOINT must be/);
  });
});

describe('headers and resource', () => {
  test('are percent-decoded, and those for traces win', () => {
    const settings = readOtlpSettings(BASE, {
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc%3D, tenant=all,broken',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'tenant=traces',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=prod,service.name=overridden,odd=%zz',
      OTEL_SERVICE_NAME: 'orders',
    });
    expect(settings?.headers).toEqual({ authorization: 'Bearer abc=', tenant: 'traces' });
    expect(settings?.resource).toEqual({ 'deployment.environment.name': 'prod', 'service.name': 'orders', odd: '%zz' });
  });
});

describe('the sampler', () => {
  test.each([
    [{}, 1, 0],
    [{ OTEL_TRACES_SAMPLER: 'always_off' }, 0, 0],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_always_on' }, 1, 0],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' }, 0.25, 0],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' }, 0.1, 0],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '7' }, 1, 1],
    [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, 1, 1],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 1, 1],
  ])('for %j', (env, share, warnings) => {
    const settings = readOtlpSettings(BASE, env);
    expect({ share: settings?.sampledShare, warnings: settings?.warnings.length }).toEqual({ share, warnings });
  });

  test('takes about its share of the runs, and the same ones everywhere', () => {
    const traces = Array.from({ length: 4_000 }, (_, n) => traceIdOf(`not a uuid ${n}`));
    const taken = traces.filter((id) => isSampled(id, 0.25));
    expect(taken.length).toBeGreaterThan(850);
    expect(taken.length).toBeLessThan(1_150);
    expect(taken.every((id) => isSampled(id, 0.5))).toBe(true);
  });
});

describe('a trace id', () => {
  test('is the uid of the Task without hyphens, and valid whatever the uid is', () => {
    expect(traceIdOf('0190B5C8-7D3E-7ABC-8DEF-0123456789AB')).toBe('0190b5c87d3e7abc8def0123456789ab');
    for (const uid of ['', 'x', '00000000-0000-0000-0000-000000000000']) expect(traceIdOf(uid)).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
  });
});
