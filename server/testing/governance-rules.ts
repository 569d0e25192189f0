// Rules and subjects for tests of governance: stored objects and a call, each with linked defaults.
import { kindByName } from '@svc/shared/kinds';
import { parseRef } from '@svc/shared/resource';
import type { CallSubject, ModelSubject } from '../engine/ports.ts';
import { compileRules, type RuleBook } from '../governance/rule-book.ts';
import type { StoredObject } from '../store/store.ts';

type Spec = Readonly<Record<string, unknown>>;

/** As it would be stored: the spec is normalised, unless it is `raw` or cannot be. */
export function storedRule(kind: string, ref: string, spec: unknown, raw = false): StoredObject {
  const { namespace, name } = parseRef(ref, 'team');
  const definition = kindByName(kind);
  const parsed = definition?.spec.safeParse(spec);
  const normalised = !raw && parsed?.success ? (definition?.normalize(parsed.data, { namespace, name }) as Spec) : (spec as Spec);
  const at = '2026-01-01T00:00:00.000Z';
  const meta = { uid: `${kind}-${ref}`, resourceVersion: 1, generation: 1, labels: {}, annotations: {}, createdAt: at, updatedAt: at };
  return { kind, namespace, name, ...meta, spec: normalised, status: { phase: 'Pending' } };
}

export const policy = (ref: string, spec: unknown, raw?: boolean) => storedRule('AgentPolicy', ref, spec, raw);
export const permission = (ref: string, spec: unknown, raw?: boolean) => storedRule('ToolPermission', ref, spec, raw);
export const role = (ref: string, ...permissions: string[]) => storedRule('AgentRole', ref, { permissions });

export function ruleBook(...objects: readonly StoredObject[]): RuleBook {
  const of = (kind: string) => objects.filter((object) => object.kind === kind);
  return compileRules({ policies: of('AgentPolicy'), permissions: of('ToolPermission'), roles: of('AgentRole') });
}

interface CallParts {
  readonly agent?: Partial<CallSubject['agent']>;
  readonly tool?: Partial<CallSubject['tool']>;
  readonly operation?: string;
}

/** Agent team/writer calls Tool team/mail, which reads, in Task team/nightly of AgentSystem team/research. */
export function call({ agent, tool, operation }: CallParts = {}): CallSubject {
  return {
    task: { namespace: 'team', name: 'nightly' },
    system: { namespace: 'team', name: 'research' },
    agent: { namespace: 'team', name: 'writer', roles: [], allowedTools: [], ...agent },
    tool: { namespace: 'team', name: 'mail', ref: 'mail', operationClasses: ['read'], ...tool },
    ...(operation !== undefined && { operation }),
  };
}

/** The same run calls the model `fast-1` of ModelEndpoint team/fast. */
export function modelCall(model = 'fast-1'): ModelSubject {
  const { task, system } = call();
  return { ...(task && { task }), ...(system && { system }), endpoint: { namespace: 'team', name: 'fast', model } };
}
