// Text of a card beside the name of its agent. Pure; reads Agents and Tools in the server's form.
import { parseRef } from '@svc/shared/resource';
import { specOf } from '../kinds/read.ts';
import type { Tone } from '../ui/status/tone.ts';

export interface ToolFact {
  readonly name: string;
  readonly risk?: string;
  /** The server has no such tool. */
  readonly missing: boolean;
}

export interface AgentFacts {
  /** `unread`: the server did not answer, or refused to. */
  readonly state: 'loading' | 'unread' | 'missing' | 'found';
  readonly model?: string;
  readonly tools: readonly ToolFact[];
  readonly roles: readonly string[];
  readonly memory?: string;
}

export interface ObjectWithSpec {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** `namespace/name` of a reference. */
export function fullName(ref: string, namespace: string): string {
  const { namespace: home, name } = parseRef(ref, namespace);
  return `${home}/${name}`;
}

/** `tools` contains every known tool, by full name; undefined while they are loading. */
export function factsOf(agent: ObjectWithSpec, tools: ReadonlyMap<string, ObjectWithSpec> | undefined): AgentFacts {
  const { model_ref: model, tools: own = [], allowed_tools: allowed = [], roles = [], memory } = specOf('Agent', agent);
  const named = [...new Set([...own, ...allowed])];
  return {
    state: 'found',
    ...(model !== '' && { model }),
    tools: named.map((name) => {
      const tool = tools?.get(fullName(name, agent.metadata.namespace));
      return { name, missing: tools !== undefined && tool === undefined, ...(tool && { risk: specOf('Tool', tool).risk_level }) };
    }),
    roles,
    ...(memory?.ref && { memory: memory.ref }),
  };
}

export const RISK_TONES: Readonly<Record<string, Tone>> = { low: 'ok', medium: 'info', high: 'warn', critical: 'danger' };
