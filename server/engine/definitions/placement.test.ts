// The words for demands that nobody meets, as a table.
import { expect, test } from 'vitest';
import { describeDemand, offerOf, unmetDemand, type WorkerOffer } from './placement.ts';

const key = { namespace: 'default', name: 'worker' };
const plain: WorkerOffer = { gpu: false, supportedModels: [], secrets: true };

test.each([
  [{}, [], 'no worker is ready'],
  [{}, [plain], undefined],
  [{ gpu: true }, [plain], 'no worker with gpu=true is ready'],
  [
    { gpu: true, region: 'eu' },
    [
      { ...plain, gpu: true },
      { ...plain, region: 'eu' },
    ],
    'no worker with gpu=true, region=eu is ready',
  ],
  [{ gpu: true, region: 'eu' }, [{ ...plain, gpu: true, region: 'eu' }], undefined],
  [{ gpu: false }, [plain], undefined],
  [{ model: 'm' }, [{ ...plain, supportedModels: ['n'] }], 'no worker with model=m is ready'],
  [{ model: 'm' }, [{ ...plain, supportedModels: ['n', 'm'] }], undefined],
  [{ secrets: true }, [{ ...plain, secrets: false }], 'no worker with the encryption key is ready'],
  [{ mcpStdio: true }, [plain], 'no worker with --mcp-stdio is ready'],
])('%j among %j: %s', (demand, workers, words) => {
  expect(unmetDemand(demand, workers)).toBe(words);
});

test('a demand that every worker meets has an empty description', () => {
  expect(describeDemand({})).toBe('');
});

test('a Worker object offers its region, models, Secrets, programs of MCP servers, runs that have to be alone', () => {
  const spec = { region: 'eu', capabilities: { gpu: true, supported_models: ['m'] } };
  expect(offerOf({ ...key, spec, status: { phase: 'Ready', mcpStdio: true } })).toEqual({
    region: 'eu',
    gpu: true,
    supportedModels: ['m'],
    secrets: true,
    mcpStdio: true,
    alone: true,
  });
  expect(offerOf({ ...key, spec: {}, status: { phase: 'Ready', lastError: 'another key' } })).toEqual({
    ...plain,
    secrets: false,
    mcpStdio: false,
    alone: true,
  });
});
