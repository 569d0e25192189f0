// Secrets of `spec.cli`: the variables of env_from and the logins for pulling the image. Values are read at each call and passed to the redaction.
import { ServiceError } from '@svc/shared/errors';
import { CallError, type ToolRef } from '../../engine/ports.ts';
import type { SecretResolver } from '../../secrets/ports.ts';
import type { RegistryLogins } from '../isolation/isolation.ts';
import { registryLogins } from '../isolation/registry-logins.ts';
import { toolTitle, type ToolCall } from '../runtime.ts';
import type { CliSettings, VariableFrom } from './cli-settings.ts';

/** The key that stands for a Secret of one value, whatever its only key is called. */
const VALUE_KEY = 'value';

type Concealing = Pick<ToolCall, 'tool' | 'conceal'>;

/** Rejects with CallError `secret_resolution_failed`. */
export async function variablesOf(
  { env, envFrom }: CliSettings,
  call: Concealing,
  secrets: SecretResolver,
): Promise<Record<string, string>> {
  const resolved = await Promise.all(envFrom.map((variable) => variableValue(variable, call.tool, secrets)));
  call.conceal(resolved.map(([, value]) => value));
  return { ...env, ...Object.fromEntries(resolved) };
}

/** Undefined without a pull Secret. Rejects with CallError `secret_resolution_failed`. */
export async function pullLogins(
  { imagePullSecret }: CliSettings,
  call: Concealing,
  secrets: SecretResolver,
): Promise<RegistryLogins | undefined> {
  if (imagePullSecret === undefined) return undefined;
  const { tool, conceal } = call;
  const field = 'spec.cli.image_pull_secret';
  const entries = await resolving({ tool, field, ref: imagePullSecret }, () => secrets.resolveEntries(imagePullSecret, tool.namespace));
  conceal(Object.entries(entries).flatMap(([key, value]) => (key === 'registry' || key === 'username' ? [] : [value, value.trim()])));
  const read = registryLogins(entries);
  if ('problem' in read) throw failed({ tool, field, ref: imagePullSecret }, read.problem);
  conceal(Object.values(read.logins).flatMap(({ password, identityToken }) => [password, identityToken ?? '']));
  return read.logins;
}

async function variableValue(
  { name, secretRef: ref, key }: VariableFrom,
  tool: ToolRef,
  secrets: SecretResolver,
): Promise<[string, string]> {
  const place = { tool, field: `spec.cli.env_from "${name}"`, ref };
  const value = await resolving(place, async () => {
    if (key === VALUE_KEY) return secrets.resolveValue(ref, tool.namespace);
    const entries = await secrets.resolveEntries(ref, tool.namespace);
    if (Object.hasOwn(entries, key)) return entries[key] ?? '';
    throw failed(place, `has no key "${key}"; it has ${Object.keys(entries).sort().join(', ') || 'none'}`);
  });
  if (value.includes('\0')) throw failed(place, 'holds a NUL character, which no variable can');
  return [name, value];
}

interface Place {
  readonly tool: ToolRef;
  readonly field: string;
  readonly ref: string;
}

async function resolving<T>(place: Place, resolve: () => Promise<T>): Promise<T> {
  try {
    return await resolve();
  } catch (error) {
    if (error instanceof CallError) throw error;
    const known = error instanceof ServiceError;
    const passing = known && (error.code === 'unavailable' || error.code === 'internal');
    throw failed(place, `could not be resolved${known ? `: ${error.message}` : ''}`, { retryable: passing, cause: error });
  }
}

function failed(
  { tool, field, ref }: Place,
  problem: string,
  options: { retryable: boolean; cause?: unknown } = { retryable: false },
): CallError {
  return new CallError('secret_resolution_failed', `${toolTitle(tool)} ${field}: the Secret "${ref}" ${problem}`, options);
}
