// Annotations that mark an object as made by the server from another object. Pure.

/** On a Tool: name of its McpServer. The Tool has a label of this name too. */
export const MCP_SERVER_OWNER = 'svc.dev/mcp-server';
/** On a Secret: `namespace/name` of its SealedSecret. */
export const SEALED_SECRET_OWNER = 'svc.dev/sealedsecret-owner';

/** The server makes an object with one of these again from its owner. */
export const OWNER_ANNOTATIONS: readonly string[] = [MCP_SERVER_OWNER, SEALED_SECRET_OWNER];
