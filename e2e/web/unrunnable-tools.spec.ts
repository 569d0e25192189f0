// Tools that cannot run as configured: a notice in the list, on the page, in the designer and in the simulator, removed live.
import { expect, test } from './fixtures.ts';

const OBJECTS = `kind: Tool
metadata: { name: refund }
spec: { endpoint: "https://bank.example/refund", auth: { secretRef: bank-key } }
---
kind: Tool
metadata: { name: rates }
spec: { endpoint: "https://bank.example/rates" }
---
kind: ModelEndpoint
metadata: { name: mock }
spec: { provider: mock, default_model: m }
---
kind: Agent
metadata: { name: cashier }
spec: { model_ref: mock, tools: [refund, rates] }
---
kind: AgentSystem
metadata: { name: desk }
spec: { agents: [cashier], graph: { cashier: {} } }
`;
const REASON = /Secret till\/bank-key does not exist/;

test('console reports that a tool cannot run until its Secret exists', async ({ page, world }) => {
  await world.apply(OBJECTS, 'till');

  await page.goto(`${world.url}/n/till/tools`);
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  await expect(row('refund').getByText('Cannot run', { exact: true })).toBeVisible();
  await expect(row('rates')).toBeVisible();
  await expect(row('rates').getByText('Cannot run')).toHaveCount(0);

  await row('refund').getByRole('link', { name: 'refund' }).click();
  await expect(page.getByRole('heading', { name: 'This tool cannot run as configured' })).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: REASON })).toBeVisible();

  await page.goto(`${world.url}/n/till/agent-systems/desk?item=cashier`);
  const problems = page.getByRole('region', { name: 'Problems' });
  await expect(problems.getByText(/cashier lists a tool that cannot run: .*bank-key/).first()).toBeVisible();

  await page.goto(`${world.url}/n/till/simulator?agent=cashier&tool=refund`);
  const result = page.getByRole('region', { name: 'Result' });
  await expect(result.getByText('The tool cannot run as configured')).toBeVisible();

  await page.goto(`${world.url}/n/till/tools`);
  await expect(row('refund').getByText('Cannot run', { exact: true })).toBeVisible();
  await world.apply('kind: Secret\nmetadata: { name: bank-key }\nspec: { stringData: { value: "only-for-tests" } }\n', 'till');
  await expect(row('refund').getByText('Cannot run')).toHaveCount(0);
});
