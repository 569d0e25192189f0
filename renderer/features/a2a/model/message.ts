// A message to a local agent over A2A 0.3: the request, its curl, and the answer as far as the page reads it. Pure.
import { filledText, isObject, objectsIn } from '@svc/shared/json';
import { queryString } from '../../../navigation/addresses.ts';

interface SystemPlace {
  readonly namespace: string;
  readonly system: string;
}

const systemPath = ({ namespace, system }: SystemPlace, rest: string): string =>
  `/v1/agent-systems/${encodeURIComponent(system)}/${rest}${queryString({ namespace: namespace === 'default' ? undefined : namespace })}`;

export const rpcPath = (place: SystemPlace): string => systemPath(place, 'a2a');
export const cardPath = (place: SystemPlace): string => systemPath(place, '.well-known/agent-card.json');

export function sendRequest(text: string, messageId: string) {
  const message = { kind: 'message', messageId, role: 'user', parts: [{ kind: 'text', text }] };
  return { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } };
}

export interface CurlInput {
  readonly url: string;
  readonly text: string;
  readonly messageId: string;
  readonly token: boolean;
}

/** For a POSIX shell; the token comes from a variable. */
export function curlCommand({ url, text, messageId, token }: CurlInput): string {
  const lines = [
    `curl -sS ${quoted(url)}`,
    `-H 'Content-Type: application/json'`,
    ...(token ? ['-H "Authorization: Bearer $SVC_TOKEN"'] : []),
    `-d ${quoted(JSON.stringify(sendRequest(text, messageId)))}`,
  ];
  return lines.join(' \\\n  ');
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export interface ReadAnswer {
  /** State of the task; absent for a message or an error. */
  readonly state?: string;
  readonly text?: string;
  readonly error?: string;
}

function textsOf(parts: unknown): string[] {
  return objectsIn(parts).flatMap(({ text }) => filledText(text) ?? []);
}

/** Texts of the artifacts, else of the status message. */
export function readAnswer(body: unknown): ReadAnswer {
  const { result, error } = isObject(body) ? body : {};
  if (isObject(error)) return { error: filledText(error.message) ?? 'The agent answered with an error without a message.' };
  if (!isObject(result)) return { error: 'The answer is not one of JSON-RPC.' };
  const status = isObject(result.status) ? result.status : {};
  const artifacts = Array.isArray(result.artifacts) ? result.artifacts.filter(isObject).flatMap(({ parts }) => textsOf(parts)) : [];
  const said = isObject(status.message) ? textsOf(status.message.parts) : textsOf(result.parts);
  const state = filledText(status.state);
  const text = (artifacts.length > 0 ? artifacts : said).join('\n');
  return { ...(state !== undefined && { state }), ...(text !== '' && { text }) };
}
