// Estimated length of a prompt, in words. Pure.
import { estimateTokens } from '@svc/shared/token-estimate';
import { formatNumber } from '../../../ui/status/format.ts';

export function tokensText(prompt: string): string {
  const tokens = estimateTokens(prompt);
  return `about ${formatNumber(tokens)} ${tokens === 1 ? 'token' : 'tokens'}`;
}
