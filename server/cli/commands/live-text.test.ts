// Live text in svcctl against a real server: shown on terminals as it comes, once, and in pipes on request only.
import { expect, it } from 'vitest';
import { startCliServer } from '../../testing/cli-server.ts';
import { startSpeakingModel } from '../../testing/speaking-model.ts';

const { start, svcctl, freshNamespace } = await startCliServer();

async function applySpeaker(n: string, endpoint: object): Promise<void> {
  const objects = [
    { kind: 'ModelEndpoint', metadata: { name: 'speaker' }, spec: endpoint },
    { kind: 'Agent', metadata: { name: 'speaker' }, spec: { model_ref: 'speaker', prompt: 'Speak.' } },
    { kind: 'AgentSystem', metadata: { name: 'speaker' }, spec: { agents: ['speaker'] } },
  ];
  const stdin = objects.map((object) => JSON.stringify({ apiVersion: 'svc.dev/v1', ...object })).join('\n---\n');
  expect((await svcctl(['apply', '-n', n, '-f', '-'], { stdin })).code).toBe(0);
}

it('prints the text of a model on a terminal before the call has ended', async () => {
  const model = await startSpeakingModel();
  const n = freshNamespace();
  await applySpeaker(n, model.spec);
  const running = start(['run', 'speaker', '-n', n], { columns: 100 });
  await model.called();
  model.say('Once upon');
  await running.prints('Once upon');
  model.finish();
  const { code, out, err } = await running.done;
  expect({ code, out }).toEqual({ code: 0, out: 'Once upon\n' });
  expect(err).toMatch(/speaker:.* Once upon\n/);
  await model.close();
});

it.each([
  ['logs', ['logs', '-f'], 100, 'Once upon a time'],
  ['trace', ['trace', '-f'], 100, 'Once upon a time'],
  ['logs into a pipe with --live', ['logs', '-f', '--live'], undefined, 'Once upon a time'],
  ['logs into a pipe', ['logs', '-f'], undefined, undefined],
  ['trace without live text', ['trace', '-f', '--no-live'], 100, undefined],
] as const)('%s follows a run, with its text once', async (_what, argv, columns, live) => {
  const model = await startSpeakingModel();
  const n = freshNamespace();
  await applySpeaker(n, model.spec);
  const task = { apiVersion: 'svc.dev/v1', kind: 'Task', metadata: { name: 'speech' }, spec: { system: 'speaker' } };
  await svcctl(['apply', '-n', n, '-f', '-'], { stdin: JSON.stringify(task) });
  await model.called();
  const [command, ...flags] = argv;
  const running = start([command, 'speech', '-n', n, ...flags], columns === undefined ? {} : { columns });
  await running.prints(command === 'logs' ? 'model_call' : 'model call');
  model.say('Once upon \u001b[2J');
  if (live !== undefined) await running.prints('Once upon \\u001b[2J');
  model.say('a time');
  if (live !== undefined) await running.prints('a time');
  model.finish();
  const { code, out } = await running.done;
  expect(code).toBe(0);
  expect(out).not.toContain('\u001b[2J');
  const shown = out.split('Once upon').length - 1;
  // Log lines hold no text of a model; the step line of a trace does.
  expect(shown).toBe(live !== undefined || command === 'trace' ? (live === undefined ? 2 : 1) : 0);
  await model.close();
});
