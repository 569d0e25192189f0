// The export of all declared objects over REST.
import type { ExportService } from '../../exports/export-service.ts';
import type { Route } from '../route.ts';
import { namespacesParameter } from './parameters.ts';

export function exportRoutes(exports: ExportService): Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/export',
      access: 'reader',
      tag: 'Export',
      operationId: 'exportObjects',
      summary: 'Everything that people declared, as one YAML file',
      description:
        'Documents in the order in which they can be applied, without status. Runs, sessions, approvals, workers, users and tokens are not part of it. ' +
        'Secrets are named in comments, their values never leave the server. 413 for more than 20,000 objects or 32 MiB.',
      query: [namespacesParameter],
      responses: { 200: { description: 'The file.', schema: { type: 'string' }, contentType: 'application/yaml' } },
      errors: ['too_large'],
      handle: async (call) => {
        const text = await exports.write(call.context, call.query.namespaces());
        const headers = { 'Content-Disposition': 'attachment; filename="export.yaml"' };
        return { type: 'text', status: 200, contentType: 'application/yaml', text, headers };
      },
    },
  ];
}
