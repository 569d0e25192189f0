// The explicit list of kinds. Everything that goes over all kinds goes over this list; nothing else may hold one.
import { agentPolicy } from './agent-policy/index.ts';
import { agentRole } from './agent-role/index.ts';
import { agentSystem } from './agent-system/index.ts';
import { agent } from './agent/index.ts';
import type { KindDefinition } from './define.ts';
import { experiment } from './experiment/index.ts';
import { mcpServer } from './mcp-server/index.ts';
import { memory } from './memory/index.ts';
import { modelEndpoint } from './model-endpoint/index.ts';
import { sealedSecret } from './sealed-secret/index.ts';
import { secret } from './secret/index.ts';
import { session } from './session/index.ts';
import { taskApproval } from './task-approval/index.ts';
import { taskSchedule } from './task-schedule/index.ts';
import { taskWebhook } from './task-webhook/index.ts';
import { task } from './task/index.ts';
import { toolApproval } from './tool-approval/index.ts';
import { toolPermission } from './tool-permission/index.ts';
import { tool } from './tool/index.ts';
import { worker } from './worker/index.ts';

const definitions = [
  secret,
  sealedSecret,
  modelEndpoint,
  mcpServer,
  tool,
  memory,
  agentRole,
  toolPermission,
  agentPolicy,
  agent,
  agentSystem,
  worker,
  task,
  experiment,
  taskSchedule,
  taskWebhook,
  toolApproval,
  taskApproval,
  session,
] as const;

/** All kinds, in the order in which dependent objects can be applied. */
export const kinds: readonly KindDefinition[] = definitions;

type Definition = (typeof definitions)[number];
/** The `kind` field of each kind. */
export type KindName = Definition['kind'];
type DefinitionOf<Name extends KindName> = Extract<Definition, { readonly kind: Name }>;
/** Spec of a kind as stored: normalised, with every default filled in. */
export type SpecOf<Name extends KindName> = ReturnType<DefinitionOf<Name>['normalize']>;
/** Status of a kind. */
export type StatusOf<Name extends KindName> = DefinitionOf<Name>['status']['_output'];

const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
const byPlural = new Map(kinds.map((kind) => [kind.plural, kind]));
const byWord = new Map(
  kinds.flatMap((kind) => [kind.kind, kind.plural, ...kind.shortNames].map((word): [string, KindDefinition] => [word.toLowerCase(), kind])),
);

/** The kind with this exact `kind` field, `AgentSystem`. */
export function kindByName(name: string): KindDefinition | undefined {
  return byName.get(name);
}

/** The kind of a path segment, `agent-systems`. */
export function kindByPlural(plural: string): KindDefinition | undefined {
  return byPlural.get(plural);
}

/** The kind a person means: its name, plural, singular or a short name, in any case. */
export function findKind(word: string): KindDefinition | undefined {
  return byWord.get(word.trim().toLowerCase());
}
