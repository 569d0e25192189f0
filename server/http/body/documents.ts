// Body bytes to documents, by content type.
import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '@svc/shared/errors';
import { decodeUtf8, parseIfJson, parseJsonKeys } from '../../manifest/parse.ts';
import type { YamlParser } from '../../manifest/yaml-parser.ts';

export const JSON_TYPE = 'application/json';
export const MERGE_PATCH_TYPE = 'application/merge-patch+json';
const YAML_TYPES: readonly string[] = ['application/yaml', 'application/x-yaml', 'text/yaml'];
export const RESOURCE_TYPES: readonly string[] = [JSON_TYPE, ...YAML_TYPES];

/** The type that curl sends with -d and no header. */
const FORM_TYPE = 'application/x-www-form-urlencoded';

type Syntax = 'json' | 'yaml' | 'untyped';

function typeRefusal(type: string, accepted: readonly string[]): string {
  const sentence = `The header Content-Type must be one of ${accepted.join(', ')}, not ${type}`;
  return type === FORM_TYPE ? `${sentence}; with curl, add -H 'content-type: ${accepted[0]}'` : sentence;
}

/** The syntax to parse by; throws `unsupported_media_type` for types not in `accepted`, other charsets and compressed bodies. */
export function bodySyntax(headers: IncomingHttpHeaders, accepted: readonly string[]): Syntax {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity')
    throw new ServiceError('unsupported_media_type', 'Compressed bodies are not accepted; send Content-Encoding identity or none');
  const header = headers['content-type']?.trim();
  if (header === undefined || header === '') return 'untyped';
  const [type = '', ...parameters] = header
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  if (!accepted.includes(type)) throw new ServiceError('unsupported_media_type', typeRefusal(type, accepted));
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '');
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')
    throw new ServiceError('unsupported_media_type', 'The charset must be utf-8');
  return type.endsWith('json') ? 'json' : 'yaml';
}

export interface Documents {
  /** Empty for an empty body. */
  readonly documents: unknown[];
  /** Paths of the first repeated keys in JSON; in YAML they are refused. */
  readonly repeated: readonly string[];
}

/** Throws `invalid`, `too_large` and `unavailable`. */
export async function parseDocuments(bytes: Buffer, syntax: Syntax, yaml: Pick<YamlParser, 'parse'>): Promise<Documents> {
  const text = decodeUtf8(bytes);
  if (text.trim() === '') return { documents: [], repeated: [] };
  const json = syntax === 'json' ? parseJsonKeys(text) : syntax === 'untyped' ? parseIfJson(text) : undefined;
  return json ? { documents: [json.value], repeated: json.repeated } : { documents: await yaml.parse(text), repeated: [] };
}

/** The only document of a body. */
export function onlyDocument(documents: readonly unknown[]): unknown {
  if (documents.length === 0) throw new ServiceError('invalid', 'The body is empty; a JSON or YAML document is expected');
  if (documents.length > 1) {
    throw new ServiceError(
      'invalid',
      `The body holds ${documents.length} YAML documents where one is expected; POST /v1/apply takes several`,
    );
  }
  return documents[0];
}
