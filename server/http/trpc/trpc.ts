// The procedures' base: who may call, and how an error of ours becomes one of tRPC's. Independent of procedures.
import { ERROR_TABLE, invalidFields, ServiceError, type ErrorBody, type FieldError } from '@svc/shared/errors';
import { initTRPC, TRPCError } from '@trpc/server';
import { ZodError } from 'zod';
import { checkStructure } from '../../manifest/structure.ts';
import { requireRole } from '../../registry/authorise.ts';
import type { SocketStreams, TrpcContext } from './context.ts';

/** JSON goes as it is: the types of outputs are the services' own. */
const asItIs = { serialize: (value: unknown): unknown => value, deserialize: (value: unknown): unknown => value };

/** Content of `error.data` for the console: the body that REST would answer with, its status and the request id. */
export interface ErrorData {
  readonly httpStatus: number;
  readonly requestId: string | undefined;
  readonly error: ErrorBody['error'];
  readonly retryAfterSeconds?: number;
}

/** Limit of the problems listed for an input that does not parse. */
const PROBLEMS_SHOWN_MAX = 100;
const PROBLEM_MAX_CHARS = 500;

function inputErrors({ issues }: ZodError): FieldError[] {
  return issues
    .slice(0, PROBLEMS_SHOWN_MAX)
    .map(({ path, message }) => ({ path: path.map(String).join('.'), message: message.slice(0, PROBLEM_MAX_CHARS) }));
}

function serviceErrorOf(error: TRPCError): ServiceError {
  const { cause, code, message } = error;
  if (cause instanceof ServiceError) return cause;
  if (cause instanceof ZodError) return invalidFields('The request', inputErrors(cause));
  if (code === 'NOT_FOUND' || code === 'METHOD_NOT_SUPPORTED') return new ServiceError('not_found', 'The server has no such procedure');
  if (code === 'PARSE_ERROR' || code === 'BAD_REQUEST') return new ServiceError('invalid', message);
  if (code === 'UNSUPPORTED_MEDIA_TYPE') return new ServiceError('unsupported_media_type', 'Calls are sent as application/json');
  if (code === 'PAYLOAD_TOO_LARGE') return new ServiceError('too_large', 'The request is too large');
  return new ServiceError('internal', 'The server failed on this request; see its log under the request id');
}

const t = initTRPC.context<TrpcContext>().create({
  transformer: asItIs,
  errorFormatter({ shape, error, ctx }) {
    const known = serviceErrorOf(error);
    const data: ErrorData = {
      httpStatus: known.httpStatus,
      requestId: ctx?.caller.requestId,
      error: known.toBody().error,
      ...(known.retryAfterSeconds !== undefined && { retryAfterSeconds: known.retryAfterSeconds }),
    };
    return { code: shape.code, message: known.message, data };
  },
});

/** The error of tRPC's that carries one of ours. */
export function trpcError(error: ServiceError): TRPCError {
  return new TRPCError({ code: ERROR_TABLE[error.code].trpcCode, message: error.message, cause: error });
}

const translated = t.middleware(async ({ next }) => {
  const result = await next();
  if (!result.ok && result.error.cause instanceof ServiceError) throw trpcError(result.error.cause);
  return result;
});

export const router = t.router;

/** A subscription as its socket can take it: one of a few, and never faster than the browser reads. */
async function* paced(items: AsyncIterable<unknown>, streams: SocketStreams): AsyncGenerator {
  const leave = streams.enter();
  try {
    for await (const item of items) {
      const sent = await streams.sending();
      try {
        yield item;
      } finally {
        sent();
      }
    }
  } finally {
    leave();
  }
}

const bounded = t.middleware(async ({ ctx: { calls, streams }, type, getRawInput, next }) => {
  // The bounds that bodies of REST have: no text that a store refuses, nothing nested without end.
  checkStructure(await getRawInput());
  // Over HTTP a stream would count against no cap, and outlive its caller's token.
  if (type === 'subscription' && !streams) throw new ServiceError('invalid', 'Subscriptions go over the WebSocket at /trpc only');
  // A socket has the identity of its start; each request over HTTP has its own.
  if (type === 'mutation' && streams) throw new ServiceError('invalid', 'Changes go over HTTP, as POST requests to /trpc');
  const end = await calls.begin(type);
  const result = await next().finally(end);
  return result.ok && type === 'subscription' && streams
    ? { ...result, data: paced(result.data as AsyncIterable<unknown>, streams) }
    : result;
});

/** Resources of the API by router or procedure, whose services have no caller; the others ask the authorizer by themselves. */
const ASKED_HERE: ReadonlyMap<string, string> = new Map([
  ['server.capabilities', 'capabilities'],
  ['server.sealingKey', 'sealing-key'],
  ['decisions', 'decisions'],
  ['access', 'authorize'],
  ['models', 'model-endpoints'],
  ['terminals', 'terminals'],
]);

/** Procedure for callers with read access. The services judge every call again, by their own rules. */
export const procedure = t.procedure
  .use(translated)
  .use(async ({ ctx, next, path, type }) => {
    requireRole(ctx.caller, 'reader', 'the console');
    const resource = ASKED_HERE.get(path) ?? ASKED_HERE.get(path.split('.')[0] ?? '');
    const { authorizer } = ctx.services;
    if (authorizer && resource !== undefined)
      await authorizer.require(ctx.caller.identity, { method: type === 'mutation' ? 'POST' : 'GET', resource, namespace: '', name: '' });
    return next();
  })
  .use(bounded);
