// Messages to local agents: the curl, and what the page reads of answers.
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { cardPath, curlCommand, readAnswer, rpcPath, sendRequest } from './message.ts';

test('addresses name the namespace unless it is the default one', () => {
  expect(rpcPath({ namespace: 'ops', system: 'desk' })).toBe('/v1/agent-systems/desk/a2a?namespace=ops');
  expect(cardPath({ namespace: 'default', system: 'desk' })).toBe('/v1/agent-systems/desk/.well-known/agent-card.json');
});

test('a shell passes exactly the request, for any message', () => {
  const text = `it's "quoted" $HOME \`id\` \\ \n end`;
  const command = curlCommand({ url: 'http://host/a2a', text, messageId: 'm1', token: false });
  const printed = execFileSync('sh', ['-c', command.replace(/^curl -sS/, 'printf "%s\\n" --')], { encoding: 'utf8' });
  expect(printed).toContain(`\n-d\n${JSON.stringify(sendRequest(text, 'm1'))}\n`);
});

test('the token is a variable of the shell', () => {
  expect(curlCommand({ url: 'u', text: 't', messageId: 'm', token: true })).toContain('"Authorization: Bearer $SVC_TOKEN"');
});

test.each([
  [
    { result: { status: { state: 'completed' }, artifacts: [{ parts: [{ text: 'a' }, { data: {} }] }, { parts: [{ text: 'b' }] }] } },
    { state: 'completed', text: 'a\nb' },
  ],
  [{ result: { status: { state: 'failed', message: { parts: [{ text: 'no' }] } } } }, { state: 'failed', text: 'no' }],
  [{ result: { kind: 'message', parts: [{ text: 'hi' }] } }, { text: 'hi' }],
  [{ error: { code: -32001, message: 'gone' } }, { error: 'gone' }],
  [null, { error: 'The answer is not one of JSON-RPC.' }],
])('%j is read as %j', (body, read) => {
  expect(readAnswer(body)).toEqual(read);
});
