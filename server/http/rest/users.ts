// Endpoints of users and of browser sign-ins. All rules are those of the auth service; this file only translates.
import type { AuthService } from '../../auth/auth.ts';
import { signInId } from '../../auth/sign-in-documents.ts';
import type { CallerGate } from '../gate/caller.ts';
import { MERGE_PATCH_TYPE, RESOURCE_TYPES } from '../body/documents.ts';
import { json, SMALL_BODY_MAX_BYTES, type AttemptLimit, type BodySpec, type Call, type Route } from '../route.ts';
import { userName } from '../text-types.ts';
import { afterParameter, limitParameter, LIST_LIMIT, textFilter } from './parameters.ts';
import { readFields } from './request-fields.ts';
import { pageOf, ref } from './schemas.ts';

export interface UserServices {
  readonly auth: AuthService;
  readonly gate: CallerGate;
}

const TAG = 'Auth';
const PAGE_DEFAULT = 500;

const bodyOf = (description: string, schema: string): BodySpec => ({
  description,
  schema: ref(schema),
  maxBytes: SMALL_BODY_MAX_BYTES,
});

export const pageQuery = ({ query }: Call) => ({ after: query.text('after'), limit: query.integer('limit', LIST_LIMIT) ?? PAGE_DEFAULT });

export function pageReply({ items, next }: { readonly items: readonly unknown[]; readonly next?: string }) {
  return json({ items, ...(next !== undefined && { continue: next }) });
}

function accountRoutes({ auth }: UserServices): Route[] {
  const one = { path: '/v1/auth/users/{username}', access: 'admin', tag: TAG } as const;
  const usernameOf = ({ params }: Call) => params['username'] ?? '';
  return [
    {
      method: 'POST',
      path: '/v1/auth/users',
      access: 'admin',
      tag: TAG,
      operationId: 'createUser',
      summary: 'Create a user',
      description:
        'The generated password is shown only in this response; the server keeps its argon2id hash. Names are case-insensitive, and no token may have the same. 409 unless the mode is `native`.',
      body: bodyOf('Name and role.', 'UserRequest'),
      errors: ['conflict', 'unavailable'],
      responses: { 201: { description: 'The user with the password.', schema: ref('NewUser') } },
      handle: async (call) => json(await auth.users.create(call.context, await readFields(call)), { status: 201 }),
    },
    {
      method: 'GET',
      path: '/v1/auth/users',
      access: 'admin',
      tag: TAG,
      operationId: 'listUsers',
      summary: 'List users',
      description: 'In the order of their names without case. The end is reached when a page has no `continue`.',
      query: [limitParameter, afterParameter],
      errors: ['conflict'],
      responses: { 200: { description: 'The users, without anything of their passwords.', schema: pageOf(ref('User')) } },
      handle: async (call) => pageReply(await auth.users.list(call.context, pageQuery(call))),
    },
    {
      ...one,
      method: 'PATCH',
      operationId: 'setUserRole',
      summary: 'Change the role of a user',
      description: 'Sign-ins of the user stay and have the new role from their next request on. 409 for the last admin.',
      body: { ...bodyOf('The role.', 'UserRoleRequest'), contentTypes: [...RESOURCE_TYPES, MERGE_PATCH_TYPE] },
      errors: ['not_found', 'conflict'],
      responses: { 200: { description: 'The user.', schema: ref('User') } },
      handle: async (call) => json(await auth.users.setRole(call.context, usernameOf(call), await readFields(call))),
    },
    {
      ...one,
      method: 'DELETE',
      operationId: 'deleteUser',
      summary: 'Delete a user',
      description: 'Ends the sign-ins of the user at once, open streams within a second. 409 for the last admin.',
      errors: ['not_found', 'conflict'],
      responses: { 200: { description: 'The user that was deleted.', schema: ref('User') } },
      handle: async (call) => json(await auth.users.remove(call.context, usernameOf(call))),
    },
  ];
}

function passwordRoutes({ auth }: UserServices, attempts: AttemptLimit, ownId: OwnId): Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/auth/admin/reset-password',
      access: 'admin',
      tag: TAG,
      operationId: 'resetPassword',
      summary: 'Reset the password of a user',
      description: 'Ends the sign-ins of the user, but for the one that this request came with.',
      body: bodyOf('The user, and the password unless it is generated.', 'PasswordResetRequest'),
      errors: ['not_found', 'conflict', 'rate_limited', 'unavailable'],
      responses: { 200: { description: 'The user, with a generated password.', schema: ref('PasswordReset') } },
      attempts,
      handle: async (call) => json(await auth.users.resetPassword(call.context, await readFields(call), ownId(call))),
    },
    {
      method: 'POST',
      path: '/v1/auth/change-password',
      access: 'reader',
      tag: TAG,
      operationId: 'changePassword',
      summary: 'Change your own password',
      description:
        'For users who have signed in with a password, in the browser. Ends their other sign-ins. A wrong current password is 401, a caller without a password 409.',
      body: bodyOf('Both passwords.', 'PasswordChangeRequest'),
      errors: ['conflict', 'rate_limited', 'unavailable'],
      responses: { 200: { description: 'The user.', schema: ref('User') } },
      attempts,
      handle: async (call) => json(await auth.users.changePassword(call.context, ownId(call), await readFields(call))),
    },
  ];
}

function signInListRoutes({ auth }: UserServices, ownId: OwnId): Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/auth/sessions',
      access: 'reader',
      tag: TAG,
      operationId: 'listSignIns',
      summary: 'List browser sign-ins',
      description:
        'Sign-ins of the caller; an admin sees all of them, or with `username` those of one name. An id cannot be used to sign in. A page may be shorter than `limit`: the end is reached when it has no `continue`.',
      query: [textFilter('username', userName, 'Only the sign-ins of this user or token.'), limitParameter, afterParameter],
      responses: { 200: { description: 'The sign-ins.', schema: pageOf(ref('SignInRecord')) } },
      handle: async (call) =>
        pageReply(await auth.listSignIns(call.context, { ...pageQuery(call), name: call.query.text('username'), ownId: ownId(call) })),
    },
    {
      method: 'DELETE',
      path: '/v1/auth/sessions/{id}',
      access: 'reader',
      tag: TAG,
      operationId: 'endSignIn',
      summary: 'End a browser sign-in',
      description: "The caller's own, or as admin any; open streams end within a second. 404 for those of other users.",
      errors: ['not_found'],
      responses: { 200: { description: 'The sign-in that was ended.', schema: ref('SignInRecord') } },
      handle: async (call) => json(await auth.endSignIn(call.context, call.params['id'] ?? '')),
    },
  ];
}

/** Id of the sign-in that a request came with. */
type OwnId = (call: Call) => string | undefined;

export function userRoutes(services: UserServices, attempts: AttemptLimit): Route[] {
  const ownId: OwnId = ({ request }) => {
    const key = services.gate.signInKeyOf(request);
    return key === undefined ? undefined : signInId(key);
  };
  return [...accountRoutes(services), ...passwordRoutes(services, attempts, ownId), ...signInListRoutes(services, ownId)];
}
