// Results of calls as MCP clients read them. Pure.
import { isObject, readJson } from '@svc/shared/json';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { McpOutcome, McpRun } from './service.ts';

const TASK_META = 'svc.dev/task';

export function answerOf(outcome: McpOutcome, run: McpRun): CallToolResult {
  const { namespace, name: handle } = run;
  const meta = { _meta: { [TASK_META]: `${namespace}/${handle}` } };
  switch (outcome.kind) {
    case 'succeeded': {
      const structuredContent = structured(outcome.output);
      return { ...meta, content: textContent(outcome.output), ...(structuredContent && { structuredContent }) };
    }
    case 'failed':
      return { ...meta, ...errorAnswer(outcome.message) };
    case 'approval': {
      const { approval, message } = outcome;
      const text = `The run waits for a person: ${message}. Call this tool again with {"handle":"${handle}"} for its result.`;
      return { ...meta, content: textContent(text), structuredContent: { approval: { ...approval }, handle } };
    }
    case 'running': {
      const text = `The run continues (${outcome.phase}). Call this tool again with {"handle":"${handle}"} for its result.`;
      return { ...meta, content: textContent(text), structuredContent: { handle, phase: outcome.phase } };
    }
  }
}

export const errorAnswer = (message: string): CallToolResult => ({ content: textContent(message), isError: true });

const textContent = (text: string) => [{ type: 'text' as const, text }];

/** Structured content is an object: a list comes as its `result`. Undefined for any other output. */
function structured(output: string): Record<string, unknown> | undefined {
  if (!/^\s*[[{]/.test(output)) return undefined;
  const value = readJson(output);
  return value === undefined || isObject(value) ? value : { result: value };
}
