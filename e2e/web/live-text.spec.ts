// Text of a model on the page of its run: part of it before the call ends, the recorded answer after that.
import { startSpeakingModel, type SpeakingModel } from '../../server/testing/speaking-model.ts';
import { expect, test } from './fixtures.ts';

let model: SpeakingModel;
test.beforeAll(async () => {
  model = await startSpeakingModel();
});
test.afterAll(() => model.close());

test('a running span shows text while the model streams, and the recorded answer once the call has ended', async ({
  page,
  emptyWorld: world,
}) => {
  const put = (plural: string, kind: string, name: string, spec: object) =>
    world.call('POST', `/v1/${plural}`, { kind, metadata: { name, namespace: 'default' }, spec });
  await put('model-endpoints', 'ModelEndpoint', 'speaker', model.spec);
  await put('agents', 'Agent', 'speaker', { model_ref: 'speaker', prompt: 'Speak.' });
  await put('agent-systems', 'AgentSystem', 'speaker', { agents: ['speaker'] });
  await world.run('default/speaker', 'speech', { topic: 'sea' });
  await model.called();
  model.say('The sea is');
  await page.goto(`${world.url}/n/default/tasks/speech?tab=graph`);
  await page
    .getByRole('treegrid', { name: 'Trace' })
    .getByRole('row', { name: /Model call: *Model/ })
    .click();
  const answer = page.getByRole('region', { name: 'Answer so far' });
  await expect(answer).toContainText('The sea is');
  await expect(page.getByTestId('live-cursor')).toBeVisible();
  model.say(' wide \u202e<b>');
  await expect(answer).toContainText('The sea is wide');
  await expect(answer).toContainText('<b>');
  await page.screenshot({ path: test.info().outputPath('live-text.png') });
  model.finish();
  await expect(page.getByRole('region', { name: 'Answer', exact: true })).toContainText('The sea is wide');
  await expect(answer).toHaveCount(0);
});
