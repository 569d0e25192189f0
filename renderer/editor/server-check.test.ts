// Places of what the server reports for the documents of a text.
import { kindByName, kinds } from '@svc/shared/kinds';
import { expect, test } from 'vitest';
import { serve } from '../testing/fake-link.ts';
import { checkText } from '../yaml/check-text.ts';
import { checkOnServer } from './server-check.ts';

const document = (namespace: string) => `apiVersion: svc.dev/v1
kind: Agent
metadata:
  name: same${namespace === '' ? '' : `\n  namespace: ${namespace}`}
spec:
  model_ref: m
  prompt: p
`;

test('a warning is shown at the document of its namespace', async () => {
  const text = [document('other'), document('')].join('---\n');
  const options = { known: { kinds, kindByName } as never, namespace: 'team', kind: undefined };
  serve({
    resources: {
      applyAll: () => [
        { kind: 'Agent', namespace: 'other', name: 'same', missing: [] },
        {
          kind: 'Agent',
          namespace: 'team',
          name: 'same',
          missing: [{ kind: 'ModelEndpoint', namespace: 'team', name: 'm', path: 'spec.model_ref' }],
        },
      ],
    },
  });
  const answer = await checkOnServer(checkText(text, options), options, new AbortController().signal);
  const [problem] = answer.status === 'checked' ? answer.problems : [];
  expect(text.slice(0, problem?.from)).toContain('---');
});
