// Schema of a tool's input as models are given it. Pure.
import type { JsonObject } from '@svc/shared/json';
import type { ToolSchema } from '../engine/ports.ts';

/** OpenAI refuses a whole request for one schema without `type` or `properties`; tools of MCP without parameters often leave the latter out. */
export function toolParameters({ inputSchema }: ToolSchema): JsonObject {
  return { type: 'object', properties: {}, ...inputSchema };
}
