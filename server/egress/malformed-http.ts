// Recognizes an answer that is no HTTP.
import { errors } from 'undici';

/** False for an answer that ends too early: its error holds no bytes that the parser refused. The parser of undici gives no code, that of Node one with HPE_. */
export function isMalformedHttp(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, data } = error as { code?: unknown; data?: unknown };
  return (error instanceof errors.HTTPParserError && data !== '') || (typeof code === 'string' && code.startsWith('HPE_'));
}
