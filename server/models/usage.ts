// Usage of an answer: token estimates where its provider reports none, or an impossible one. Marked `estimated`, so that nobody mistakes them for a bill.
import { estimateTokens } from '@svc/shared/token-estimate';
import type { ChatMessage, TokenUsage, ToolCallRequest } from '../engine/ports.ts';

/** Tokens of one call, in either direction: no model has a larger context. */
export const TOKENS_MAX = 10_000_000;

export function isPossible({ inputTokens, outputTokens }: TokenUsage): boolean {
  return inputTokens <= TOKENS_MAX && outputTokens <= TOKENS_MAX;
}

export function estimateUsage(messages: readonly ChatMessage[], content: string, calls: readonly ToolCallRequest[]): TokenUsage {
  const inputTokens = messages.reduce((sum, message) => sum + estimateTokens(message.content), 0);
  return { inputTokens, outputTokens: estimateTokens(content + calls.map((call) => call.arguments).join('')), source: 'estimated' };
}
