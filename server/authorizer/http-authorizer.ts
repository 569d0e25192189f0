// The operator's authorizer behind a URL. The address is a setting of the operator, like that of the database: it may be on this machine.
import { Agent, request } from 'undici';
import { isObject } from '@svc/shared/json';
import type { Authorize } from './authorizer.ts';

const ANSWER_MAX_BYTES = 64 * 1024;
const CONNECTIONS_MAX = 32;

export interface HttpAuthorizer {
  readonly authorize: Authorize;
  close(): Promise<void>;
}

/** POSTs each question as JSON; anything but status 200 with `{"allow": boolean}` counts as no answer. */
export function createHttpAuthorizer(url: string): HttpAuthorizer {
  const dispatcher = new Agent({ connections: CONNECTIONS_MAX, maxResponseSize: ANSWER_MAX_BYTES });
  return {
    async authorize(question, signal) {
      const headers = { 'content-type': 'application/json', accept: 'application/json' };
      const { statusCode, body } = await request(url, { method: 'POST', headers, body: JSON.stringify(question), signal, dispatcher });
      const text = await body.text();
      const answer: unknown = statusCode === 200 ? JSON.parse(text) : undefined;
      if (!isObject(answer) || typeof answer['allow'] !== 'boolean')
        throw new Error(`the authorizer answered with status ${statusCode} and no decision`);
      const { allow, reason } = answer;
      return { allow, reason: typeof reason === 'string' ? reason : undefined };
    },
    close: () => dispatcher.close(),
  };
}
