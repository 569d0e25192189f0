// Messages and parts of requests in the form of any dialect: the plain one has `type`, 0.3 `kind`, 1.0 the name of the content.
import { isObject, type JsonObject } from '@svc/shared/json';
import type { Dialect, FilePart, Message, Part } from '../model.ts';
import { RpcError } from './errors.ts';

const PARTS_MAX = 1_000;
const TEXT_ID_MAX = 255;
const URI_MAX = 8 * 1024;
const EXTENSIONS_MAX = 100;

/** Media types of files that agents get (`defaultInputModes` of the cards). */
const MEDIA_TYPES = /^(?:text\/[\w.+-]+|image\/[\w.+-]+|application\/(?:json|pdf))$/;

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Missing fields are an invalid request in the plain dialect, invalid params in the others. */
export const missing = (dialect: Dialect, message: string): RpcError =>
  new RpcError(dialect === 'spec' ? 'INVALID_REQUEST' : 'INVALID_PARAMS', message);

const invalid = (message: string): RpcError => new RpcError('INVALID_PARAMS', message);

/** An id that clients choose: a short text without control characters. */
export function readId(value: unknown, path: string, dialect: Dialect): string {
  if (value === undefined || value === null || value === '') throw missing(dialect, `${path} is required`);
  if (typeof value !== 'string' || value.length > TEXT_ID_MAX || /\p{Cc}/u.test(value))
    throw invalid(`${path} must be a string of at most ${TEXT_ID_MAX} characters without control characters`);
  return value;
}

const optionalId = (value: unknown, path: string): string | undefined =>
  value === undefined || value === null || value === '' ? undefined : readId(value, path, 'v1');

function readTexts(value: unknown, path: string): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || value.length > EXTENSIONS_MAX || !value.every((item) => typeof item === 'string'))
    throw invalid(`${path} must be a list of at most ${EXTENSIONS_MAX} strings`);
  return value;
}

function readMetadata(value: unknown, path: string): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw invalid(`${path} must be an object`);
  return value as JsonObject;
}

const ROLES: Readonly<Record<string, 'user' | 'agent'>> = {
  user: 'user',
  agent: 'agent',
  ROLE_USER: 'user',
  ROLE_AGENT: 'agent',
};

/** `newId` names a message of the plain dialect, which has no id. */
export function readMessage(value: unknown, dialect: Dialect, newId: () => string): Message {
  if (value === undefined || value === null) throw missing(dialect, 'message is required');
  if (!isObject(value)) throw invalid('message must be an object');
  const { role: said, messageId, metadata, extensions, referenceTaskIds } = value;
  if (said === undefined) throw missing(dialect, 'message.role is required');
  const role = typeof said === 'string' && Object.hasOwn(ROLES, said) ? ROLES[said] : undefined;
  if (role !== 'user') throw invalid('message.role must be the role of the user: "user", in A2A 1.0 "ROLE_USER"');
  const id = dialect === 'spec' && messageId === undefined ? newId() : readId(messageId, 'message.messageId', dialect);
  const parts = readParts(value['parts'], 'message.parts', dialect);
  const contextId = optionalId(value['contextId'], 'message.contextId');
  const taskId = optionalId(value['taskId'], 'message.taskId');
  const read = {
    metadata: readMetadata(metadata, 'message.metadata'),
    extensions: readTexts(extensions, 'message.extensions'),
    referenceTaskIds: readTexts(referenceTaskIds, 'message.referenceTaskIds'),
  };
  return {
    messageId: id,
    role,
    parts,
    ...(contextId !== undefined && { contextId }),
    ...(taskId !== undefined && { taskId }),
    ...(read.metadata && { metadata: read.metadata }),
    ...(read.extensions && { extensions: read.extensions }),
    ...(read.referenceTaskIds && { referenceTaskIds: read.referenceTaskIds }),
  };
}

export function readParts(value: unknown, path: string, dialect: Dialect): Part[] {
  if (value === undefined || value === null) throw missing(dialect, `${path} is required`);
  if (!Array.isArray(value) || value.length === 0) throw invalid(`${path} must be a list of parts that is not empty`);
  if (value.length > PARTS_MAX) throw invalid(`${path} may have at most ${PARTS_MAX} parts`);
  return value.map((part, index) => readPart(part, `${path}[${index}]`));
}

/** A part in the form of any dialect; it has exactly one content. */
function readPart(value: unknown, path: string): Part {
  if (!isObject(value)) throw invalid(`${path} must be an object`);
  const metadata = readMetadata(value['metadata'], `${path}.metadata`);
  const tag = metadata && { metadata };
  const contents = ['text', 'data', 'file', 'raw', 'url'].filter((field) => value[field] !== undefined);
  if (contents.length !== 1) throw invalid(`${path} must have exactly one of text, data, raw, url or file`);
  const declared = value['kind'] ?? value['type'];
  const [content = ''] = contents;
  if (declared !== undefined && declared !== (content === 'raw' || content === 'url' ? 'file' : content))
    throw invalid(`${path} must be a part of kind text, data or file with that content`);
  if (content === 'text') {
    if (typeof value['text'] !== 'string') throw invalid(`${path}.text must be a string`);
    return { kind: 'text', text: value['text'], ...tag };
  }
  if (content === 'data') {
    const { data } = value;
    refuseMediaType(value['mediaType'], `${path}.mediaType`);
    return { kind: 'data', data, ...tag };
  }
  return { ...readFile(content === 'file' ? value['file'] : value, content === 'file' ? `${path}.file` : path), ...tag };
}

function readFile(value: unknown, path: string): FilePart {
  if (!isObject(value)) throw invalid(`${path} must be an object`);
  const name = optionalId(value['name'] ?? value['filename'], `${path}.name`);
  const mediaType = optionalId(value['mimeType'] ?? value['mediaType'], `${path}.mediaType`);
  refuseMediaType(mediaType, path);
  const bytes = value['bytes'] ?? value['raw'];
  const uri = value['uri'] ?? value['url'];
  if ((bytes === undefined) === (uri === undefined)) throw invalid(`${path} must have either its bytes or its address`);
  const head = { kind: 'file', ...(name !== undefined && { name }), ...(mediaType !== undefined && { mediaType }) } as const;
  if (bytes !== undefined) {
    if (typeof bytes !== 'string' || !BASE64.test(bytes)) throw invalid(`${path} must have bytes in base64`);
    return { ...head, bytes };
  }
  if (typeof uri !== 'string' || uri.length > URI_MAX || !isHttpAddress(uri)) throw invalid(`${path} must have an http or https address`);
  return { ...head, uri };
}

function isHttpAddress(text: string): boolean {
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  return protocol === 'http:' || protocol === 'https:';
}

function refuseMediaType(value: unknown, path: string): void {
  if (value === undefined || value === null || value === '') return;
  const type = typeof value === 'string' ? (value.split(';', 1)[0] ?? '').trim().toLowerCase() : '';
  if (MEDIA_TYPES.test(type)) return;
  throw new RpcError(
    'CONTENT_TYPE_NOT_SUPPORTED',
    `Incompatible content types: ${path} has a media type that is not accepted; accepted are text/*, application/json, application/pdf and image/*`,
  );
}
