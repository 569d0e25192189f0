// Permissions that the service account of a worker needs, and the check whether it has them. Pure. docs/isolation.md has the same as a Role.
import { isObject } from '@svc/shared/json';

export interface Permission {
  readonly verb: 'create' | 'get' | 'list' | 'watch' | 'patch' | 'delete';
  /** Empty for the core group. */
  readonly group: '' | 'batch' | 'authorization.k8s.io';
  /** With its subresource: `pods/log`. */
  readonly resource: string;
}

const jobs = (verb: Permission['verb']): Permission => ({ verb, group: 'batch', resource: 'jobs' });
const core = (verb: Permission['verb'], resource: string): Permission => ({ verb, group: '', resource });

export const MAY = {
  createJobs: jobs('create'),
  getJobs: jobs('get'),
  listJobs: jobs('list'),
  patchJobs: jobs('patch'),
  deleteJobs: jobs('delete'),
  createSecrets: core('create', 'secrets'),
  listPods: core('list', 'pods'),
  watchPods: core('watch', 'pods'),
  readLogs: core('get', 'pods/log'),
  // Up to Kubernetes 1.34 an attach over WebSocket is a `get`; later it takes `create` too.
  attach: core('get', 'pods/attach'),
  attachAsLater: core('create', 'pods/attach'),
} as const satisfies Record<string, Permission>;

/** Every signed-in account may ask what it may do. */
export const RULES_REVIEW: Permission = { verb: 'create', group: 'authorization.k8s.io', resource: 'selfsubjectrulesreviews' };

export function permissionText({ verb, group, resource }: Permission): string {
  return `${verb} ${group === '' ? resource : `${resource}.${group}`}`;
}

/** Permissions that a SelfSubjectRulesReview does not grant; empty too where the answer is marked as incomplete. */
export function missingPermissions(review: unknown): Permission[] {
  const status = isObject(review) && isObject(review['status']) ? review['status'] : {};
  const rules = Array.isArray(status['resourceRules']) ? status['resourceRules'].filter(isObject) : [];
  if (status['incomplete'] === true) return [];
  return Object.values(MAY).filter((permission) => !rules.some((rule) => permits(rule, permission)));
}

function permits(rule: Record<string, unknown>, { verb, group, resource }: Permission): boolean {
  const has = (list: unknown, ...names: string[]) => Array.isArray(list) && names.some((name) => list.includes(name));
  const subresource = resource.includes('/') ? [`*/${resource.split('/')[1]}`] : [];
  // A rule for named objects does not cover those whose names are made here.
  const named = Array.isArray(rule['resourceNames']) && rule['resourceNames'].length > 0;
  return (
    !named && has(rule['verbs'], verb, '*') && has(rule['apiGroups'], group, '*') && has(rule['resources'], resource, '*', ...subresource)
  );
}
