// The registry of runtimes: adding a tool type is one runtime and one line here.
import { CallError } from '../engine/ports.ts';
import { createExternalToolRuntime } from './external/external-tool.ts';
import { createHttpToolRuntime } from './http/http-tool.ts';
import { createWebhookToolRuntime } from './webhook-callback/webhook-tool.ts';
import type { ToolRuntimes } from './resolve-runtime.ts';
import { createWasmToolRuntime } from './wasm/wasm-tool.ts';
import { toolTitle, type RuntimeDeps, type ToolRuntime } from './runtime.ts';

/** `mcp` and `a2a` have their place here in a later version; until then resolve-runtime.ts says so. */
export function createRuntimes(deps: RuntimeDeps): ToolRuntimes {
  const runtimes: ToolRuntime[] = [
    createHttpToolRuntime(deps),
    createExternalToolRuntime(deps),
    createWebhookToolRuntime(deps),
    createWasmToolRuntime(deps),
  ];
  return { byType: new Map(runtimes.map((runtime) => [runtime.type, runtime])), contained: noContainers };
}

const noContainers: ToolRuntime = {
  type: 'contained',
  run: ({ tool }) =>
    Promise.reject(
      new CallError('isolation_unavailable', `${toolTitle(tool)} asks for isolation, which this server does not have`, {
        retryable: false,
        reason: 'not_configured',
      }),
    ),
};
