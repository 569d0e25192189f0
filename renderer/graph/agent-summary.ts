// Text of a card beside the name of its agent. Pure; reads Agents and Tools in the server's form.
import { isObject } from '@svc/shared/json';
import { parseRef } from '@svc/shared/resource';
import type { Tone } from '../ui/tone.ts';

export interface ToolFact {
  readonly name: string;
  readonly risk?: string;
  /** The server has no such tool. */
  readonly missing: boolean;
}

export interface AgentFacts {
  readonly state: 'loading' | 'missing' | 'found';
  readonly model?: string;
  readonly tools: readonly ToolFact[];
  readonly roles: readonly string[];
  readonly memory?: string;
}

export interface Specced {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** `namespace/name` of a reference. */
export function fullName(ref: string, namespace: string): string {
  const { namespace: home, name } = parseRef(ref, namespace);
  return `${home}/${name}`;
}

const words = (value: unknown): string[] => (Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []);

/** `tools` contains every known tool, by full name; undefined while they are loading. */
export function factsOf(agent: Specced, tools: ReadonlyMap<string, Specced> | undefined): AgentFacts {
  const { spec, metadata } = agent;
  const memory = isObject(spec['memory']) ? spec['memory']['ref'] : undefined;
  const model = spec['model_ref'];
  const named = [...new Set([...words(spec['tools']), ...words(spec['allowed_tools'])])];
  return {
    state: 'found',
    ...(typeof model === 'string' && model !== '' && { model }),
    tools: named.map((name) => {
      const tool = tools?.get(fullName(name, metadata.namespace));
      const risk = tool?.spec['risk_level'];
      return { name, missing: tools !== undefined && tool === undefined, ...(typeof risk === 'string' && { risk }) };
    }),
    roles: words(spec['roles']),
    ...(typeof memory === 'string' && memory !== '' && { memory }),
  };
}

export const RISK_TONES: Readonly<Record<string, Tone>> = { low: 'ok', medium: 'info', high: 'warn', critical: 'danger' };
