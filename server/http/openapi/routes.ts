// Serves the OpenAPI document and the page that shows it.
import { randomBytes } from 'node:crypto';
import { kinds } from '@svc/shared/kinds';
import type { Route } from '../route.ts';
import { docsPage } from './docs-page.ts';
import { openApiDocument, type OpenApiOptions } from './document.ts';

const TAG = 'System';

/** `described` is called at the first request, when the table is whole. */
export function openApiRoutes(described: () => readonly Route[], options: OpenApiOptions): Route[] {
  let text: string | undefined;
  return [
    {
      method: 'GET',
      path: '/openapi.json',
      access: 'reader',
      tag: TAG,
      operationId: 'getOpenApi',
      summary: 'This API, described',
      responses: { 200: { description: 'OpenAPI 3.1.', schema: { type: 'object' } } },
      handle: async () => {
        text ??= JSON.stringify(openApiDocument(described(), kinds, options));
        return { type: 'text', status: 200, contentType: 'application/json', text };
      },
    },
    {
      method: 'GET',
      path: '/docs',
      access: 'public',
      tag: TAG,
      operationId: 'getDocs',
      summary: 'This API, for people',
      description: 'A page that reads /openapi.json, asking for a token when one is needed.',
      responses: { 200: { description: 'HTML.', schema: { type: 'string' }, contentType: 'text/html' } },
      handle: async () => {
        const nonce = randomBytes(16).toString('base64');
        const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
        return {
          type: 'text',
          status: 200,
          contentType: 'text/html; charset=utf-8',
          text: docsPage(nonce),
          headers: { 'Content-Security-Policy': policy },
        };
      },
    },
  ];
}
