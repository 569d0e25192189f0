// Result of an MCP tool as text for the model: plain text as it is, structured results as JSON, other content as typed parts of bounded size. Pure.
import { isObject } from '@svc/shared/json';
import type { IsolationFacts } from '../isolation/isolation.ts';

export interface McpResult {
  /** Content blocks as the server sent them. */
  readonly content: readonly unknown[];
  readonly structured?: unknown;
  readonly isError: boolean;
  /** Facts about the container of the server's program. */
  readonly isolation?: IsolationFacts;
}

/** Base64 characters of one image, sound or file that are passed on; a larger part is named without its data. */
const PART_MAX_CHARS = 256 * 1024;

export function outputOf({ content, structured }: McpResult): string {
  const parts = content.map(partOf);
  const onlyText = parts.every(({ type }) => type === 'text');
  if (structured !== undefined && onlyText) return JSON.stringify(structured);
  if (onlyText) return textOf(content);
  return JSON.stringify({ content: parts, ...(structured !== undefined && { structuredContent: structured }) });
}

/** The text blocks, joined by newlines. */
export function textOf(content: readonly unknown[]): string {
  return content
    .flatMap((block) => (isObject(block) && block.type === 'text' && typeof block.text === 'string' ? [block.text] : []))
    .join('\n');
}

type Part = { readonly type: string } & Readonly<Record<string, unknown>>;

function partOf(block: unknown): Part {
  if (!isObject(block) || typeof block.type !== 'string') return { type: 'unknown' };
  const { type, mimeType } = block;
  if (type === 'text') return { type, text: block.text };
  if (type === 'image' || type === 'audio') return { type, mimeType, ...bounded('data', block.data) };
  if (type === 'resource_link') return { type, uri: block.uri, name: block.name, mimeType, description: block.description };
  if (type === 'resource' && isObject(block.resource)) {
    const { uri, mimeType: resourceType, text, blob } = block.resource;
    return { type, uri, mimeType: resourceType, ...bounded('text', text), ...bounded('blob', blob) };
  }
  return { type };
}

function bounded(name: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'string') return {};
  return value.length <= PART_MAX_CHARS
    ? { [name]: value }
    : { omitted: `${name} of ${value.length} characters, more than ${PART_MAX_CHARS}` };
}
