// Sends ended spans to the collector, in batches, in the background. The only file that knows the OpenTelemetry SDK, which it loads on demand.
import type { HrTime } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { Counter, type Registry } from 'prom-client';
import { endsWithin, systemClock } from '../clock.ts';
import type { Logger } from '../log/log.ts';
import type { OtlpSettings } from './otlp-settings.ts';
import type { SpanDraft } from './run-spans.ts';

export interface PipelineOptions {
  readonly settings: OtlpSettings;
  readonly registry: Registry;
  readonly log: Logger;
  readonly version: string;
  readonly instance: string;
  /** Times that tests shorten. */
  readonly limits?: Partial<PipelineLimits>;
}

interface PipelineLimits {
  /** Spans that may wait for the collector; more are dropped. */
  readonly waitingMax: number;
  readonly batchMax: number;
  /** How long spans gather before they are sent. */
  readonly delayMs: number;
  /** How long one batch may take, tries included. */
  readonly exportMaxMs: number;
  /** How long `stop` waits for what is left. */
  readonly stopMaxMs: number;
}

const LIMITS: PipelineLimits = { waitingMax: 8_192, batchMax: 512, delayMs: 2_000, exportMaxMs: 10_000, stopMaxMs: 3_000 };

export interface SpanPipeline {
  /** Never waits. */
  readonly send: (draft: SpanDraft) => void;
  /** Sends what is left, within a bound. Idempotent; never rejects. */
  readonly stop: () => Promise<void>;
}

const INSTRUMENTATION = 'svc.runs';
const SAMPLED = 1;
const KIND = { internal: 0, client: 2 } as const;
const STATUS_UNSET = { code: 0 } as const;
const STATUS_ERROR = 2;
const EXPORT_OK = 0;

type Counters = ReturnType<typeof createCounters>;

function createCounters(registry: Registry) {
  const exported = new Counter({ name: 'svc_trace_spans_exported_total', help: 'Spans that the collector took.', registers: [registry] });
  const dropped = new Counter({
    name: 'svc_trace_spans_dropped_total',
    help: 'Spans that were lost: the queue was full, or their export failed.',
    labelNames: ['reason'],
    registers: [registry],
  });
  for (const reason of ['queue_full', 'export_failed']) dropped.inc({ reason }, 0);
  return { exported, dropped };
}

export async function createSpanPipeline(options: PipelineOptions): Promise<SpanPipeline> {
  const { settings, version, instance } = options;
  const limits = { ...LIMITS, ...options.limits };
  const [{ BatchSpanProcessor }, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/resources'),
  ]);
  const counters = createCounters(options.registry);
  const waiting = { count: 0 };
  const headers = { ...settings.headers };
  const otlp = new OTLPTraceExporter({ url: settings.url, headers, timeoutMillis: limits.exportMaxMs });
  const processor = new BatchSpanProcessor(watchedExporter(otlp, { ...options, counters, waiting }), {
    maxQueueSize: limits.waitingMax,
    maxExportBatchSize: limits.batchMax,
    scheduledDelayMillis: limits.delayMs,
    exportTimeoutMillis: limits.exportMaxMs * 2,
  });
  const base = { 'service.name': 'svcd', 'service.version': version, 'service.instance.id': instance };
  const resource = resourceFromAttributes({ ...base, ...settings.resource });
  let stopping: Promise<boolean> | undefined;
  return {
    send(draft) {
      if (stopping || waiting.count >= limits.waitingMax) return counters.dropped.inc({ reason: 'queue_full' });
      waiting.count += 1;
      processor.onEnd(toSpan(draft, { resource, version }));
    },
    async stop() {
      await (stopping ??= endsWithin(processor.shutdown(), { clock: systemClock, ms: limits.stopMaxMs }));
    },
  };
}

interface Watch {
  readonly settings: OtlpSettings;
  readonly log: Logger;
  readonly counters: Counters;
  /** Spans handed over and neither taken nor lost. */
  readonly waiting: { count: number };
}

/** Counts what becomes of each batch, and says once when the collector goes away and once when it is back. */
function watchedExporter(exporter: SpanExporter, { settings, log, counters, waiting }: Watch): SpanExporter {
  const collector = new URL(settings.url).host;
  let away = false;
  const settle = (spans: number, taken: boolean) => {
    waiting.count -= spans;
    if (taken) counters.exported.inc(spans);
    else counters.dropped.inc({ reason: 'export_failed' }, spans);
    if (taken && away) log.info({ collector }, 'the trace collector accepts spans again');
    if (!taken && !away)
      log.warn({ collector }, 'the trace collector does not accept spans; they are dropped until it does, and runs continue');
    away = !taken;
  };
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        settle(spans.length, Number(result.code) === EXPORT_OK);
        // The loss is accounted for here: a failure passed on would only be reported a second time.
        done({ code: EXPORT_OK });
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

function toSpan(draft: SpanDraft, { resource, version }: { resource: ReadableSpan['resource']; version: string }): ReadableSpan {
  const { traceId, spanId, parentSpanId, startMs, errorType } = draft;
  // Start and end may come from the clocks of two machines.
  const endMs = Math.max(startMs, draft.endMs);
  const contextOf = (id: string) => ({ traceId, spanId: id, traceFlags: SAMPLED });
  return {
    name: draft.name,
    kind: KIND[draft.kind],
    spanContext: () => contextOf(spanId),
    ...(parentSpanId !== undefined && { parentSpanContext: contextOf(parentSpanId) }),
    startTime: hrTime(startMs),
    endTime: hrTime(endMs),
    duration: hrTime(endMs - startMs),
    status: errorType === undefined ? STATUS_UNSET : { code: STATUS_ERROR, message: errorType },
    attributes: errorType === undefined ? draft.attributes : { ...draft.attributes, 'error.type': errorType },
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: { name: INSTRUMENTATION, version },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function hrTime(ms: number): HrTime {
  const whole = Math.floor(ms / 1000);
  return [whole, Math.round((ms - whole * 1000) * 1e6)];
}
