// Verdicts of governance beside the tools of an agent.
import { QueryClient } from '@tanstack/react-query';
import { renderHook, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { serve } from '../../../testing/fake-link.ts';
import { queryWrapper } from '../../../testing/query-wrapper.tsx';
import { NO_DRAFTS, newDraft } from '../document/drafts.ts';
import { useVerdicts } from './use-verdicts.ts';

test('a removed tool leaves its verdict to no other tool while the server is asked again', async () => {
  let asked = 0;
  serve({
    access: {
      whatIf: ({ questions }) => {
        asked += 1;
        if (asked > 1) return new Promise<never>(() => undefined);
        return questions.map(({ tool }) => ({ agent: 'ops/clerk', tool, verdict: tool === 'pay' ? 'deny' : 'allow' }));
      },
    },
  });
  const agent = newDraft({ kind: 'Agent', namespace: 'ops', name: 'clerk' }, { model_ref: 'm', tools: ['pay', 'read'] });
  const design = { drafts: NO_DRAFTS, system: { agents: ['clerk'] } };
  const { result, rerender } = renderHook(({ tools }) => useVerdicts(agent, { design, system: '', isNew: false, tools }), {
    wrapper: queryWrapper(new QueryClient()),
    initialProps: { tools: ['pay', 'read'] },
  });
  await waitFor(() => expect(result.current.get('read')?.verdict).toBe('allow'), { timeout: 5000 });
  rerender({ tools: ['read'] });
  expect(result.current.get('read')?.verdict).toBe('allow');
  await waitFor(() => expect(asked).toBe(2), { timeout: 5000 });
  expect(result.current.get('read')?.verdict).toBe('allow');
});
