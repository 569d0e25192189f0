// A server of the console's tests: answers procedures from a table in place of the network.
import type { AppRouter } from '@svc/server/http/trpc/router';
import type { ErrorCode } from '@svc/shared/errors';
import { TRPCClientError, type OperationLink } from '@trpc/client';
import type { inferRouterInputs } from '@trpc/server';
import { observable } from '@trpc/server/observable';
import { lastLink } from '../live/last-link.ts';

type Inputs = inferRouterInputs<AppRouter>;

/**
 * Answers by procedure. A query or mutation gets the returned value, or the promised one, or fails by what is thrown. A subscription receives the
 * items of the returned array and stays open. Procedures without an answer fail; subscriptions without one stay silent.
 */
export type Answers = {
  readonly [Room in keyof Inputs]?: { readonly [Procedure in keyof Inputs[Room]]?: (input: Inputs[Room][Procedure]) => unknown };
};

/** The error of a server that refuses a call. */
export function refusal(code: ErrorCode, message: string): TRPCClientError<AppRouter> {
  return TRPCClientError.from<AppRouter>({ error: { code: -32_000, message, data: { error: { code, message } } } } as never);
}

type Answer = (input: unknown) => unknown;

function answerOf(answers: Answers, path: string): Answer | undefined {
  const [room = '', procedure = ''] = path.split('.');
  return (answers as Readonly<Record<string, Readonly<Record<string, Answer>>>>)[room]?.[procedure];
}

const fakeLink =
  (answers: Answers): OperationLink<AppRouter> =>
  ({ op }) =>
    observable((observer) => {
      const answer = answerOf(answers, op.path);
      if (op.type === 'subscription') {
        for (const data of (answer?.(op.input) ?? []) as readonly unknown[]) observer.next({ result: { type: 'data', data } });
        return;
      }
      const answered = answer ? Promise.resolve(op.input).then(answer) : Promise.reject(refusal('unavailable', `${op.path} has no answer`));
      answered.then(
        (data) => {
          observer.next({ result: { type: 'data', data } });
          observer.complete();
        },
        (error: Error) => observer.error(TRPCClientError.from(error)),
      );
    });

/** Answers all calls of the console from the table until the end of the test, and until the next call of this function. */
export function serve(answers: Answers): void {
  lastLink.replacement = fakeLink(answers);
}
