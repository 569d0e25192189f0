// The agent card of a system, made from its objects: the hybrid form, which clients of this service's own dialect, of A2A 0.3 and of A2A 1.0 read, and the strict form of
// A2A 1.0 (section 4.4). Neither holds an empty or a default value, so that the canonical form of a signature is that of RFC 8785.
import type { JsonObject } from '@svc/shared/json';
import { specOf } from '@svc/shared/kinds/read';
import { DEFAULT_NAMESPACE } from '@svc/shared/resource';
import type { StoredObject } from '../../store/store.ts';
import { isPublic } from '../systems.ts';

/** `hybrid` without a version of the protocol, or with 0.3. */
export type CardForm = 'hybrid' | 'strict';

export interface CardSource {
  readonly system: StoredObject;
  /** Agents of the system in its order, and their tools without repetition; those that do not exist are left out. */
  readonly agents: readonly StoredObject[];
  readonly tools: readonly StoredObject[];
}

export interface CardSettings {
  /** Address of the server for its clients, without a slash at the end. */
  readonly baseUrl: string;
  readonly authEnabled: boolean;
  /** Push notifications are sent. */
  readonly push: boolean;
  /** Organization that offers the systems. */
  readonly provider?: { readonly organization: string; readonly url: string } | undefined;
}

const DESCRIPTION = 'svc.dev/description';
const VERSION = 'svc.dev/version';
const SUMMARY_MAX_CHARS = 200;
const INPUT_MODES = ['text/plain', 'text/*', 'application/json', 'application/pdf', 'image/*'];
const OUTPUT_MODES = ['text/plain', 'application/json'];
const V03 = '0.3.0';
const BEARER = { httpAuthSecurityScheme: { scheme: 'Bearer' } };

export function agentCard(form: CardForm, source: CardSource, settings: CardSettings): JsonObject {
  return form === 'strict' ? strictCard(source, settings) : hybridCard(source, settings);
}

function hybridCard(source: CardSource, settings: CardSettings): JsonObject {
  const { system } = source;
  const url = rpcUrl(system, settings);
  return {
    ...commonFields(source, settings),
    url,
    protocolVersion: V03,
    preferredTransport: 'JSONRPC',
    supportedInterfaces: [jsonRpc(url, '1.0'), jsonRpc(url, '0.3')],
    capabilities: { ...capabilities(settings), stateTransitionHistory: true },
    skills: skillsOf(source, hybridSkill),
    // Without `security`, whose list of scopes would be an empty value.
    ...(needsToken(system, settings) && {
      authentication: { schemes: ['bearer'] },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', ...BEARER } },
    }),
  };
}

function strictCard(source: CardSource, settings: CardSettings): JsonObject {
  const { system } = source;
  return {
    ...commonFields(source, settings),
    supportedInterfaces: [jsonRpc(rpcUrl(system, settings), '1.0')],
    capabilities: capabilities(settings),
    skills: skillsOf(source, strictSkill),
    ...(needsToken(system, settings) && { securitySchemes: { bearer: BEARER }, securityRequirements: [{ schemes: { bearer: {} } }] }),
  };
}

const commonFields = (source: CardSource, { provider }: CardSettings): JsonObject => ({
  name: source.system.name,
  description: descriptionOf(source),
  version: source.system.labels[VERSION] || `0.${source.system.generation}.0`,
  ...(provider && { provider: { ...provider } }),
  defaultInputModes: INPUT_MODES,
  defaultOutputModes: OUTPUT_MODES,
});

function rpcUrl({ namespace, name }: StoredObject, { baseUrl }: CardSettings): string {
  const query = namespace === DEFAULT_NAMESPACE ? '' : `?namespace=${encodeURIComponent(namespace)}`;
  return `${baseUrl}/v1/agent-systems/${encodeURIComponent(name)}/a2a${query}`;
}

const jsonRpc = (url: string, protocolVersion: string): JsonObject => ({ url, protocolBinding: 'JSONRPC', protocolVersion });

const capabilities = ({ push }: CardSettings): JsonObject => ({ streaming: true, ...(push && { pushNotifications: true }) });

const needsToken = (system: StoredObject, { authEnabled }: CardSettings): boolean => authEnabled && !isPublic(system);

/** The annotation, else the first sentence of the first prompt. */
function descriptionOf({ system, agents }: CardSource): string {
  const given = system.annotations[DESCRIPTION]?.trim();
  if (given) return given;
  const prompts = agents.map((agent) => (specOf('Agent', agent).prompt ?? '').replace(/\s+/g, ' ').trim());
  const prompt = prompts.find((text) => text !== '');
  return prompt === undefined ? `Agent system ${system.name}` : firstSentence(prompt);
}

function firstSentence(text: string): string {
  const sentence = /^.*?[.!?](?= |$)/.exec(text)?.[0] ?? text;
  return sentence.length <= SUMMARY_MAX_CHARS ? sentence : `${sentence.slice(0, SUMMARY_MAX_CHARS - 1).trimEnd()}…`;
}

/** One for each tool; a system without tools offers itself: `skills` is required, and a2a-tck 0.3 refuses an empty list. */
const skillsOf = (source: CardSource, write: (tool: StoredObject) => JsonObject): JsonObject[] =>
  source.tools.length === 0 ? [wholeSkill(source)] : source.tools.map(write);

const wholeSkill = (source: CardSource): JsonObject => ({
  id: source.system.name,
  name: source.system.name,
  description: descriptionOf(source),
  tags: ['agent-system'],
});

/** `fallback` is the description of a tool without one: A2A 1.0 requires it, this service's own form leaves it out. */
function skillOf(tool: StoredObject, fallback?: string): JsonObject {
  const { description = '', capabilities: can = [], operation_classes: classes = [] } = specOf('Tool', tool);
  const text = description || fallback;
  return { id: tool.name, name: tool.name, ...(text && { description: text }), tags: [...new Set([...can, ...classes])] };
}

const strictSkill = (tool: StoredObject): JsonObject => skillOf(tool, tool.name);

function hybridSkill(tool: StoredObject): JsonObject {
  const { input_schema: schema = {} } = specOf('Tool', tool);
  return { ...skillOf(tool), ...(Object.keys(schema).length > 0 && { inputSchema: schema as JsonObject }) };
}
