// Tool type `external`: POSTs tool protocol v1 to the tool's endpoint and reads the reply from the answer.
import type { ExchangeDeps } from '../http/exchange.ts';
import { postRequest, readHttpReply } from '../protocol/http-exchange.ts';
import { TOOL_CONTRACT_VERSION } from '../protocol/request.ts';
import type { ToolRuntime } from '../runtime.ts';

export function createExternalToolRuntime(deps: ExchangeDeps): ToolRuntime {
  return {
    type: 'external',
    async run(call) {
      const output = await readHttpReply(deps, call, await postRequest(deps, call));
      return { output, contractVersion: TOOL_CONTRACT_VERSION };
    },
  };
}
