// The endpoint of a grpc tool: `host:port`, `grpcs://host:port` or `grpc://host:port`, then `/package.Service/Method` where it is not the fixed service. Pure.
import type { ToolRef } from '../../engine/ports.ts';
import { endpointOf, invalidTool } from '../tool-settings.ts';

export interface GrpcEndpoint {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** `package.Service/Method`; absent: the fixed service. */
  readonly method?: string;
}

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;
const METHOD = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*\/[A-Za-z_]\w*$/;

/** Throws CallError `runtime_policy_invalid`. */
export function grpcEndpoint(tool: ToolRef): GrpcEndpoint {
  const endpoint = endpointOf(tool);
  const scheme = SCHEME.exec(endpoint)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'grpc' && scheme !== 'grpcs') {
    throw invalidTool(tool, `spec.endpoint has the scheme ${scheme}; use host:port, grpcs:// or grpc://`);
  }
  // A scheme without default port, so that every port stays in the URL.
  const text = `grpc://${endpoint.replace(SCHEME, '')}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.hostname === '' || url.port === '' || url.search !== '' || url.hash !== '') {
    throw invalidTool(tool, 'spec.endpoint must be host:port, optionally followed by /package.Service/Method');
  }
  if (url.username !== '' || url.password !== '') throw invalidTool(tool, 'spec.endpoint must not hold credentials; put them in a Secret');
  const method = url.pathname.replace(/^\/+/, '');
  if (method !== '' && !METHOD.test(method)) throw invalidTool(tool, 'spec.endpoint must end in /package.Service/Method');
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port),
    tls: scheme !== 'grpc',
    ...(method !== '' && { method }),
  };
}
