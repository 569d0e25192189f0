// The JSON-RPC 2.0 envelope of a request, from bytes of anyone.
import { ServiceError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import { decodeUtf8, parseJson } from '../../manifest/parse.ts';
import type { Dialect } from '../model.ts';
import { errorObject, RpcError } from './errors.ts';
import { findMethod, type Method } from './methods.ts';

export type RequestId = string | number | null;

export interface RpcRequest {
  /** Undefined: a notification, which is not answered. */
  readonly id: RequestId | undefined;
  readonly method: Method;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The result of reading: the error has the id of its request where that could be read, undefined for a notification. */
export type ReadRequest = RpcRequest | { readonly id: RequestId | undefined; readonly error: RpcError; readonly method?: Method };

/** Each event of a stream repeats the id. */
const ID_MAX_CHARS = 1024;

export function readRequest(bytes: Uint8Array): ReadRequest {
  let body: unknown;
  try {
    body = parseJson(decodeUtf8(bytes));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { id: null, error: new RpcError('PARSE_ERROR', error.message) };
  }
  return readEnvelope(body);
}

function readEnvelope(body: unknown): ReadRequest {
  const invalid = (message: string, id: RequestId = null) => ({ id, error: new RpcError('INVALID_REQUEST', message) });
  if (Array.isArray(body)) return invalid('Batch requests are not accepted; send one request at a time');
  if (!isObject(body)) return invalid('The request must be a JSON object');
  const { id } = body;
  if (!isId(id)) return invalid(`id must be a string of at most ${ID_MAX_CHARS} characters, an integer or null`);
  const shown = id ?? null;
  if (body['jsonrpc'] !== '2.0') return invalid('jsonrpc must be "2.0"', shown);
  const { method: name, params = {} } = body;
  if (typeof name !== 'string') return invalid('method must be a string', shown);
  const method = findMethod(name);
  if (!method) return { id, error: new RpcError('METHOD_NOT_FOUND', `There is no method ${name.slice(0, 100)}`) };
  if (!isObject(params)) return { id, method, error: new RpcError('INVALID_PARAMS', 'params must be an object') };
  return { id, method, params: method.dialect === 'v1' ? camelCased(params) : params };
}

/** Readers of A2A 1.0 take names of fields as JSON writes them and as the protocol's proto files do (ProtoJSON), which a2a-tck 1.0 sends. */
function camelCased(params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!Object.keys(params).some((name) => name.includes('_'))) return params;
  const renamed = Object.entries(params).map(([name, value]): [string, unknown] => {
    const camel = name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    return [Object.hasOwn(params, camel) ? name : camel, value];
  });
  return Object.fromEntries(renamed);
}

function isId(id: unknown): id is RequestId | undefined {
  if (id === undefined || id === null) return true;
  return typeof id === 'string' ? id.length <= ID_MAX_CHARS : Number.isSafeInteger(id);
}

export const resultBody = (id: RequestId, result: unknown) => ({ jsonrpc: '2.0', id, result });
export const errorBody = (id: RequestId, error: RpcError, dialect: Dialect) => ({ jsonrpc: '2.0', id, error: errorObject(error, dialect) });
