// A message of a person at the console, as another agent sends it over A2A 0.3. Browser sign-ins do not call the HTTP endpoints.
import { requireRole } from '../../registry/authorise.ts';
import type { Identity, RequestContext } from '../../registry/registry.ts';
import type { StoredObject } from '../../store/store.ts';
import { ServiceError } from '@svc/shared/errors';
import { answerRequest, type RpcServices } from './answer.ts';
import { errorBody, resultBody } from './envelope.ts';
import { RpcError } from './errors.ts';

interface PersonMessage {
  readonly namespace: string;
  readonly name: string;
  readonly messageId: string;
  readonly text: string;
}

interface AccessRequest {
  readonly method: 'POST';
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** An operator's own rules. Rejects with `forbidden`, or `unavailable` while there is no answer. */
export interface CallAuthorizer {
  require(identity: Identity, asked: AccessRequest): Promise<void>;
}

interface Sending extends RpcServices {
  readonly systems: { find(ref: { readonly namespace: string; readonly name: string }): Promise<StoredObject | undefined> };
  readonly authorizer?: CallAuthorizer | undefined;
}

const ID = 1;
const DIALECT = 'v03';

/** The body that an agent would get: a result, or an error of JSON-RPC. The signal ends the wait, not the run. Throws ServiceError. */
export async function sendAsPerson(
  { systems, authorizer, ...services }: Sending,
  context: RequestContext,
  { message: { namespace, name, messageId, text }, signal }: { readonly message: PersonMessage; readonly signal: AbortSignal },
): Promise<unknown> {
  requireRole(context, 'writer', 'sending a message to an agent');
  await authorizer?.require(context.identity, { method: 'POST', resource: 'a2a', namespace, name });
  const system = await systems.find({ namespace, name });
  if (!system) throw new ServiceError('not_found', `There is no AgentSystem ${namespace}/${name} that is open to A2A`);
  const message = { kind: 'message', messageId, role: 'user', parts: [{ kind: 'text', text }] };
  const request = { id: ID, method: { dialect: DIALECT, operation: 'send' }, params: { message } } as const;
  try {
    const answer = await answerRequest({ ...services, call: { context, system }, signal }, request);
    return resultBody(ID, answer.kind === 'result' ? answer.result : null);
  } catch (error) {
    if (error instanceof RpcError) return errorBody(ID, error, DIALECT);
    throw error;
  }
}
