// Typed reading of a ModelEndpoint's options, a map of strings. A value of the wrong type is the operator's error and is never retried.
import { parseDuration } from '@svc/shared/duration';
import { readJsonObject, type JsonObject } from '@svc/shared/json';
import { CallError, type ModelEndpointRef } from '../engine/ports.ts';
import { endpointTitle } from './provider.ts';

export function textOption(endpoint: ModelEndpointRef, key: string): string | undefined {
  return endpoint.spec.options?.[key] || undefined;
}

export function numberOption(endpoint: ModelEndpointRef, key: string): number | undefined {
  const text = textOption(endpoint, key);
  if (text === undefined) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : wrongOption(endpoint, key, 'must be a number');
}

export function integerOption(endpoint: ModelEndpointRef, key: string): number | undefined {
  const value = numberOption(endpoint, key);
  return value === undefined || Number.isSafeInteger(value) ? value : wrongOption(endpoint, key, 'must be a whole number');
}

export function booleanOption(endpoint: ModelEndpointRef, key: string): boolean | undefined {
  const text = textOption(endpoint, key);
  if (text === undefined) return undefined;
  return text === 'true' || text === 'false' ? text === 'true' : wrongOption(endpoint, key, 'must be true or false');
}

/** Milliseconds; above zero. */
export function durationOption(endpoint: ModelEndpointRef, key: string): number | undefined {
  const text = textOption(endpoint, key);
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  return ms !== undefined && ms > 0 ? ms : wrongOption(endpoint, key, 'must be a duration above zero, such as 30s or 2m');
}

export function objectOption(endpoint: ModelEndpointRef, key: string): JsonObject | undefined {
  const text = textOption(endpoint, key);
  if (text === undefined) return undefined;
  const value = readJsonObject(text);
  return value ? (value as JsonObject) : wrongOption(endpoint, key, 'must be a JSON object');
}

/** The operator's error that an option has a value it cannot have. */
export function wrongOption(endpoint: ModelEndpointRef, key: string, rule: string): never {
  const message = `${endpointTitle(endpoint)} spec.options.${key} ${rule}`;
  throw new CallError('runtime_policy_invalid', message, { retryable: false, reason: 'invalid_option' });
}
