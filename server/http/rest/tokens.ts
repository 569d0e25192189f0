// Endpoints of API tokens: create, list, revoke. Role admin.
import type { AuthService, TokenRecord } from '../../auth/auth.ts';
import { json, SMALL_BODY_MAX_BYTES, type Route } from '../route.ts';
import { afterParameter, limitParameter } from './parameters.ts';
import { readFields } from './request-fields.ts';
import { pageOf, ref } from './schemas.ts';
import { pageQuery, pageReply } from './users.ts';

const TAG = 'Auth';

function pageOfTokens(tokens: readonly TokenRecord[], { after = '', limit }: ReturnType<typeof pageQuery>) {
  const rest = tokens.filter(({ name }) => name > after);
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return { items, ...(rest.length > limit && last && { next: last.name }) };
}

export function tokenRoutes(auth: AuthService): Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/tokens',
      access: 'admin',
      tag: TAG,
      operationId: 'createToken',
      summary: 'Create an API token',
      description:
        'The token is shown only in this response; the server keeps its SHA-256. The first token of a server turns authentication on permanently, so it must be an admin one.',
      body: { description: 'Name and role.', schema: ref('TokenRequest'), maxBytes: SMALL_BODY_MAX_BYTES },
      responses: { 201: { description: 'The token.', schema: ref('NewToken') } },
      handle: async (call) => json(await auth.createToken(call.context, await readFields(call)), { status: 201 }),
    },
    {
      method: 'GET',
      path: '/v1/tokens',
      access: 'admin',
      tag: TAG,
      operationId: 'listTokens',
      summary: 'List stored API tokens',
      description: 'In the order of their names. The end is reached when a page has no `continue`.',
      query: [limitParameter, afterParameter],
      responses: { 200: { description: 'The tokens, without their values.', schema: pageOf(ref('Token')) } },
      handle: async (call) => pageReply(pageOfTokens(await auth.listTokens(call.context), pageQuery(call))),
    },
    {
      method: 'DELETE',
      path: '/v1/tokens/{name}',
      access: 'admin',
      tag: TAG,
      operationId: 'deleteToken',
      summary: 'Revoke a stored API token',
      description: '409 when it is the last way in as admin.',
      responses: { 200: { description: 'The token that was revoked.', schema: ref('Token') } },
      handle: async (call) => json(await auth.deleteToken(call.context, call.params['name'] ?? '')),
    },
  ];
}
