// Token estimates for answers whose provider reports no usage. Marked `estimated`, so that nobody mistakes them for a bill.
import { estimateTokens } from '@svc/shared/token-estimate';
import type { ChatMessage, TokenUsage, ToolCallRequest } from '../engine/ports.ts';

export function estimateUsage(messages: readonly ChatMessage[], content: string, calls: readonly ToolCallRequest[]): TokenUsage {
  const inputTokens = messages.reduce((sum, message) => sum + estimateTokens(message.content), 0);
  return { inputTokens, outputTokens: estimateTokens(content + calls.map((call) => call.arguments).join('')), source: 'estimated' };
}
