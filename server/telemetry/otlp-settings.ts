// Where spans go and which of them: from svcd's flag and the standard OTEL_ variables. Pure; it reads no environment of its own.
// Source: OpenTelemetry specification, "Environment Variable Specification" and "OTLP Exporter Configuration".
import { ServiceError } from '@svc/shared/errors';
import { trimEnd } from '@svc/shared/trim-end';

export interface OtlpSettings {
  /** The full address of the traces endpoint. */
  readonly url: string;
  /** May hold credentials: never logged. */
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Readonly<Record<string, string>>;
  /** Share of the traces that are sent, 0 to 1. */
  readonly sampledShare: number;
  /** One sentence for each setting that is not honoured. */
  readonly warnings: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const TRACES_PATH = '/v1/traces';

/** Undefined when spans go nowhere. Throws a ServiceError `invalid` when the endpoint is not an http URL. */
export function readOtlpSettings(flag: string | undefined, env: Environment): OtlpSettings | undefined {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none') return undefined;
  const url = endpoint(flag, env);
  if (url === undefined) return undefined;
  const warnings: string[] = [];
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || env['OTEL_EXPORTER_OTLP_PROTOCOL'] || 'http/protobuf';
  if (protocol !== 'http/protobuf') warnings.push(`OTLP protocol ${protocol} is not supported; spans are sent as http/protobuf`);
  const headers = { ...pairs(env['OTEL_EXPORTER_OTLP_HEADERS']), ...pairs(env['OTEL_EXPORTER_OTLP_TRACES_HEADERS']) };
  const resource = pairs(env['OTEL_RESOURCE_ATTRIBUTES']);
  if (env['OTEL_SERVICE_NAME']) resource['service.name'] = env['OTEL_SERVICE_NAME'];
  return { url, headers, resource, sampledShare: sampledShare(env, warnings), warnings };
}

/** The flag and the general variable are bases, to which the path is added; the variable for traces is taken as it is. */
function endpoint(flag: string | undefined, env: Environment): string | undefined {
  if (flag) return withTracesPath(parseEndpoint(flag, '--otlp-endpoint'), { keepPath: true });
  const traces = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  if (traces) return parseEndpoint(traces, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT').href;
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  return base ? withTracesPath(parseEndpoint(base, 'OTEL_EXPORTER_OTLP_ENDPOINT'), { keepPath: false }) : undefined;
}

function parseEndpoint(value: string, name: string): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new ServiceError('invalid', `${name} must be an http or https URL such as http://127.0.0.1:4318`);
}

/** `keepPath`: a path of the URL is the whole path; otherwise the traces path is appended. */
function withTracesPath(url: URL, { keepPath }: { readonly keepPath: boolean }): string {
  const path = trimEnd(url.pathname, '/');
  if (!keepPath || path === '') url.pathname = `${path}${TRACES_PATH}`;
  return url.href;
}

/** `key=value,key=value`, percent-encoded; parts of another form are left out. */
function pairs(text: string | undefined): Record<string, string> {
  const parts = (text ?? '').split(',').map((part) => /^\s*([^=\s]+)\s*=(.*)$/.exec(part));
  return Object.fromEntries(parts.flatMap((part) => (part ? [[decoded(part[1] ?? ''), decoded((part[2] ?? '').trim())]] : [])));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A run's trace has no parent elsewhere, so a parent-based sampler is its root sampler. */
function sampledShare(env: Environment, warnings: string[]): number {
  const sampler = (env['OTEL_TRACES_SAMPLER'] || 'always_on').replace(/^parentbased_/, '');
  if (sampler === 'always_on') return 1;
  if (sampler === 'always_off') return 0;
  const share = Number(env['OTEL_TRACES_SAMPLER_ARG'] || '1');
  if (sampler === 'traceidratio' && share >= 0 && share <= 1) return share;
  warnings.push(
    `OTEL_TRACES_SAMPLER ${sampler} with argument ${env['OTEL_TRACES_SAMPLER_ARG'] ?? 'unset'} is not known; every run is traced`,
  );
  return 1;
}
