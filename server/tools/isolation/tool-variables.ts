// Environment of a contained tool: the request, the target's address and the credentials.
import type { ToolRun } from '../runtime.ts';
import { authSettings, credentialHeader } from '../tool-settings.ts';

/** TOOL_REQUEST_ID, TOOL_ENDPOINT and TOOL_AUTH_*. Values of the latter are secret. Pure. */
export function toolVariables({
  tool,
  requestId,
  credentials,
}: Pick<ToolRun, 'tool' | 'requestId' | 'credentials'>): Record<string, string> {
  const endpoint = tool.spec.endpoint;
  return {
    TOOL_REQUEST_ID: requestId,
    ...(endpoint !== undefined && { TOOL_ENDPOINT: endpoint }),
    ...authVariables(tool, credentials.headers),
  };
}

function authVariables(tool: ToolRun['tool'], headers: Readonly<Record<string, string>>): Record<string, string> {
  const auth = authSettings(tool);
  const authorization = headers['authorization'] ?? '';
  if (auth.profile === 'none') return {};
  if (auth.profile === 'api_key_header') {
    return { TOOL_AUTH_HEADER_NAME: auth.headerName, TOOL_AUTH_HEADER_VALUE: headers[credentialHeader(auth)] ?? '' };
  }
  const value = authorization.slice(authorization.indexOf(' ') + 1);
  if (auth.profile === 'basic') return { TOOL_AUTH_BASIC: Buffer.from(value, 'base64').toString('utf8') };
  return { TOOL_AUTH_BEARER: value };
}
