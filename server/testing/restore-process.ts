// Set-up of each unit test file: restores what the file changed in the process, because files of one worker share it.
import { afterAll, vi } from 'vitest';
import { endFile } from './file-end.ts';
import { watchOpenResources } from './open-resources.ts';

const environment = { ...process.env };
const folder = process.cwd();
const expectNothingOpen = watchOpenResources();

afterAll(async () => {
  await endFile();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  for (const name of Object.keys(process.env)) if (!(name in environment)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, environment);
  process.chdir(folder);
  await expectNothingOpen();
});
