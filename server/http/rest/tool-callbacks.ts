// Where a tool that has accepted a call sends its reply. The token that came with the call is the only way in; this file only translates.
import type { Call, Route } from '../route.ts';
import { json } from '../route.ts';
import { JSON_TYPE } from '../body/documents.ts';
import { ref } from './schemas.ts';

const BODY_MAX_BYTES = 1024 * 1024;

/** Takes replies for the calls of all workers. Rejects with ServiceError. */
export interface ToolCallbacks {
  accept(incoming: {
    readonly requestId: string;
    readonly token: string | undefined;
    /** Reads the body; not called for a wrong token. */
    readonly read: () => Promise<unknown>;
  }): Promise<void>;
}

export function toolCallbackRoute(callbacks: ToolCallbacks): Route {
  return {
    method: 'POST',
    path: '/v1/tool-callbacks/{request_id}',
    access: 'public',
    tag: 'Tool',
    operationId: 'replyToToolCall',
    summary: 'Send the reply of an accepted tool call',
    description:
      'For tools of type webhook-callback that answered 202: `callback.url` of the request names this place, and `callback.token` goes into ' +
      '`Authorization: Bearer`. The token is valid for one reply to this call, until the call times out. 401 for another token, 404 for an unknown call, ' +
      '409 when the call has its reply or has ended, 400 for a reply that cannot be read: it may be sent again.',
    body: { description: 'The reply, tool protocol v1.', schema: ref('ToolReply'), contentTypes: [JSON_TYPE], maxBytes: BODY_MAX_BYTES },
    errors: ['unauthorized'],
    responses: { 202: { description: 'The call ends with this reply.', schema: ref('Accepted') } },
    async handle(call) {
      await callbacks.accept({ requestId: call.params['request_id'] ?? '', token: bearer(call), read: () => call.readDocument() });
      return json({ accepted: true }, { status: 202 });
    },
  };
}

function bearer(call: Call): string | undefined {
  return /^bearer +([\w.~+/-]+=*) *$/i.exec(call.header('authorization') ?? '')?.[1];
}
