// The registry of runtimes: adding a tool type is one runtime and one line here.
import { createA2aToolRuntime } from './a2a/a2a-tool.ts';
import { createCliToolRuntime } from './cli/cli-tool.ts';
import { createExternalToolRuntime } from './external/external-tool.ts';
import { createGrpcToolRuntime } from './grpc/grpc-tool.ts';
import { createHttpToolRuntime } from './http/http-tool.ts';
import { createMemoryToolRuntime } from './memory/memory-tool.ts';
import { createMcpToolRuntime } from './mcp/mcp-tool.ts';
import { createWebhookToolRuntime } from './webhook-callback/webhook-tool.ts';
import { createContainedToolRuntime } from './isolation/contained-tool.ts';
import { createQueueToolRuntime } from './queue/queue-tool.ts';
import type { ByRuntime } from './resolve-runtime.ts';
import { createWasmToolRuntime } from './wasm/wasm-tool.ts';
import type { RuntimeDeps, ToolRuntime } from './runtime.ts';

export function createRuntimes(deps: RuntimeDeps): ByRuntime<ToolRuntime> {
  const runtimes: ToolRuntime[] = [
    createHttpToolRuntime(deps),
    createExternalToolRuntime(deps),
    createWebhookToolRuntime(deps),
    createGrpcToolRuntime(deps),
    createQueueToolRuntime(deps),
    createWasmToolRuntime(deps),
    createCliToolRuntime(deps),
    createMcpToolRuntime(deps),
    createA2aToolRuntime(deps),
    createMemoryToolRuntime(deps),
  ];
  return { byType: new Map(runtimes.map((runtime) => [runtime.type, runtime])), contained: createContainedToolRuntime(deps) };
}
