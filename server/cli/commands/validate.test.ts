// `svcctl validate` without an answer of the server that the current profile names.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { atFileEnd } from '../../testing/file-end.ts';
import { startSvcctl } from '../../testing/run-svcctl.ts';

it('validate warns about the server of the current profile that does not answer', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svcctl-validate-'));
  atFileEnd(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'svcctl'));
  await writeFile(join(folder, 'svcctl/config.yaml'), 'current: work\nprofiles: { work: { server: "http://127.0.0.1:1" } }\n');
  await writeFile(join(folder, 'a.yaml'), 'kind: Agent\nmetadata: { name: a }\nspec: { model_ref: m, prompt: x }\n');
  const { code, err } = await startSvcctl(['validate', 'a.yaml'], { cwd: folder, env: { XDG_CONFIG_HOME: folder } }).done;
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringContaining('not checked by the server: cannot connect to http://127.0.0.1:1'),
  });
});
