// namespaces, edit, patch, label, annotate, diff, logs and the forms of get, against a real server.
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Resource } from '@svc/shared/resource';
import { blueprintsDirectory } from '../../installation.ts';
import { startCliServer } from '../../testing/cli-server.ts';
import type { CliOptions } from '../../testing/run-svcctl.ts';

const { server, cwd, start, freshNamespace } = await startCliServer();

/** svcctl in a namespace of its own that holds the documents. */
async function namespaceWith(...documents: readonly string[]) {
  const n = freshNamespace();
  const svcctl = (argv: readonly string[], options: CliOptions = {}) => start(['-n', n, ...argv], options).done;
  if (documents.length > 0) expect((await svcctl(['apply', '-f', '-'], { stdin: documents.join('---\n') })).code).toBe(0);
  const read = async (word: string) => JSON.parse((await svcctl(['get', word, '-o', 'json'])).out) as Resource;
  return { n, svcctl, read };
}

const agent = (name: string, labels = 'set: one') =>
  `apiVersion: svc.dev/v1\nkind: Agent\nmetadata:\n  name: ${name}\n  labels: { ${labels} }\nspec:\n  model_ref: m\n  prompt: be brief\n`;
const secret = (name: string, value: string) =>
  `apiVersion: svc.dev/v1\nkind: Secret\nmetadata: { name: ${name} }\nspec: { stringData: { token: ${value} } }\n`;
const tool = (name: string) =>
  `apiVersion: svc.dev/v1\nkind: Tool\nmetadata: { name: ${name} }\nspec: { endpoint: "https://tool.example/" }\n`;

/** An editor: a shell script over the file `$1`. */
async function editor(script: string): Promise<string> {
  const file = join(cwd, `editor-${freshNamespace()}.sh`);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

const edited = async (script: string): Promise<CliOptions> => ({ env: { EDITOR: await editor(script) }, tty: true });

describe('get', () => {
  test('prints several kinds, each under its own titles, with the kind in front of each name', async () => {
    const { svcctl } = await namespaceWith(agent('a'), tool('t'));
    const mixed = (await svcctl(['get', 'agents,tools'])).out;
    expect(mixed).toMatch(/^NAME +MODEL[^]*\nagent\/a [^]*\n\nNAME [^]*\ntool\/t /);
    expect((await svcctl(['get', 'all'])).out).toMatch(/^NAME[^]*\ntool\/t [^]*\n\nNAME[^]*\nagent\/a /);
    expect((await svcctl(['get', 'agent/a', 'tool/t', '-o', 'name'])).out).toBe('agent/a\ntool/t\n');
    expect((await svcctl(['get', 'all', '-l', 'set=two'])).err).toMatch(/^No objects in namespace/);
    expect((await svcctl(['get', 'agents,nope'])).code).toBe(2);
  });

  test('prints the named objects that exist, then an error for each other one', async () => {
    const { n, svcctl } = await namespaceWith(agent('a'), agent('b'));
    const hint = 'hint: list them with "npx svcctl get agents -A"\n';
    const err = `error: Agent ${n}/x does not exist\nerror: Agent ${n}/y does not exist\n${hint}`;
    expect(await svcctl(['get', 'agents', 'a', 'x', 'b', 'y', '-o', 'name'])).toEqual({ code: 5, out: 'agent/a\nagent/b\n', err });
    const { code, out } = await svcctl(['get', 'agents', 'a', 'x', '-o', 'json']);
    expect({ code, names: (JSON.parse(out) as Resource[]).map(({ metadata }) => metadata.name) }).toEqual({ code: 5, names: ['a'] });
    expect(await svcctl(['get', 'agents', 'x', 'y', '-o', 'json'])).toEqual({ code: 5, out: '', err });
    expect(await svcctl(['get', 'agents', 'a', 'x', '-o', 'name', '--ignore-not-found'])).toEqual({ code: 0, out: 'agent/a\n', err: '' });
    const described = await svcctl(['describe', 'agents', 'x', 'b', 'y']);
    expect(described).toMatchObject({ code: 5, out: expect.stringMatching(/^Name: +b\n/), err });
  });

  test('prints templates of a list and of one object', async () => {
    const { svcctl } = await namespaceWith(agent('b'), agent('a'));
    const print = async (...argv: string[]) => (await svcctl(['get', ...argv])).out;
    expect(await print('agents', '-o', 'jsonpath={.items[*].metadata.name}')).toBe('a b\n');
    expect(await print('agent/a', '-o', 'jsonpath={.metadata.labels.set}')).toBe('one\n');
    expect(await print('agents', '-o', 'jsonpath={range .items[*]}{.metadata.name}{"\\t"}{.spec.model_ref}{"\\n"}{end}')).toBe(
      'a\tm\nb\tm\n',
    );
    expect(await print('agents', '-o', 'custom-columns=NAME:.metadata.name,NOTE:.spec.note', '--no-headers')).toBe(
      'a      <none>\nb      <none>\n',
    );
    expect(await svcctl(['get', 'agents', '-o', 'jsonpath={.a['])).toMatchObject({ code: 2, out: '' });
    expect(await svcctl(['get', 'agents', '-o', 'jsonpath'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('jsonpath=') as string,
    });
  });

  test('sorts by a path, shows labels and leaves out titles', async () => {
    const { svcctl } = await namespaceWith(agent('a', 'rank: "3"'), agent('b', 'rank: "1"'), agent('c', 'other: "2"'));
    expect((await svcctl(['get', 'agents', '--sort-by', '.metadata.labels.rank', '-o', 'name'])).out).toBe('agent/c\nagent/b\nagent/a\n');
    expect((await svcctl(['get', 'agents', '--show-labels'])).out).toMatch(/LABELS\n.*rank=3\n/);
    expect((await svcctl(['get', 'agents', '--no-headers'])).out).toMatch(/^a +m /);
  });

  test('searches Tasks by words and shows where they were found', async () => {
    const task = (name: string, topic: string) =>
      `apiVersion: svc.dev/v1\nkind: Task\nmetadata: { name: ${name} }\nspec: { system: s, input: { topic: "${topic}" } }\n`;
    const { svcctl } = await namespaceWith(task('a', 'the flood of 1953'), task('b', 'ebb'), task('flood-2', 'dunes'));
    expect((await svcctl(['get', 'tasks', '--search', 'flood', '-o', 'name'])).out).toBe('task/flood-2\ntask/a\n');
    expect((await svcctl(['get', 'tasks', '--search', 'flood'])).out).toMatch(/FOUND\n.* name: flood-2\n.* input: the flood of 1953\n/);
    expect((await svcctl(['get', 'tasks', '--search', 'none'])).err).toContain('No tasks with these words in namespace');
    expect((await svcctl(['get', 'tasks', '--search', '"*"'])).err).toContain('q must hold a letter or a digit');
    expect((await svcctl(['get', 'tasks,agents', '--search', 'x'])).err).toContain('--search takes tasks; agents cannot be searched');
    expect((await svcctl(['get', 'tasks', '-w', '--search', 'x'])).code).toBe(2);
  });

  test('finds objects by a part of the name', async () => {
    const { svcctl } = await namespaceWith(agent('invoice-cleanup', 'a: b'), agent('Cleaner', 'a: b'), agent('other', 'a: b'));
    expect((await svcctl(['get', 'agents', '--name-contains', 'clean', '-o', 'name'])).out).toBe('agent/Cleaner\nagent/invoice-cleanup\n');
    expect((await svcctl(['get', 'agents', '--name-contains', ''])).err).toContain('nameContains must have 1 to 253 characters');
    expect((await svcctl(['get', 'agents', '-w', '--name-contains', 'x'])).code).toBe(2);
    expect((await svcctl(['get', 'agents', '-w', '--limit', '1'])).err).toMatch(/^error: -w cannot be combined with --limit\n/);
    expect((await svcctl(['get', 'agents', '-w', '--sort', 'name'])).err).toMatch(/^error: -w cannot be combined with --sort\n/);
    expect((await svcctl(['get', 'agent/other', '--name-contains', 'x'])).code).toBe(2);
  });

  test('refuses names that would change the path', async () => {
    const { svcctl } = await namespaceWith();
    for (const argv of [
      ['get', 'agents', '..'],
      ['get', 'agent/.'],
      ['delete', 'agent', '..'],
      ['logs', '..'],
      ['cancel', '.'],
      ['trace', '..'],
      ['tokens', 'delete', '..'],
      ['approvals', 'show', '..'],
      ['run', '..'],
    ])
      expect(await svcctl(argv)).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringMatching(/"\.{1,2}" is not a valid name: it must be 1 to 253/) as string,
      });
  });
});

test('namespaces are listed, and get points to that list', async () => {
  const { n, svcctl } = await namespaceWith(agent('a'));
  const { out } = await svcctl(['namespaces', '-o', 'name']);
  const listed = out.trimEnd().split('\n');
  expect(listed).toEqual(expect.arrayContaining(['default', n]));
  expect((await svcctl(['namespaces'])).out).toBe(`NAMESPACE\n${out}`);
  expect(JSON.parse((await svcctl(['namespaces', '-o', 'json'])).out)).toEqual(listed);
  for (const word of ['ns', 'namespace', 'namespaces'])
    expect((await svcctl(['get', word])).err).toMatch(/\nhint: did you mean ".*svcctl namespaces"\?\n$/);
});

describe('history and restore', () => {
  const withPrompt = (prompt: string) => agent('a').replace('be brief', prompt);

  test('list, print and compare versions', async () => {
    const { svcctl } = await namespaceWith(withPrompt('first'));
    await svcctl(['apply', '-f', '-'], { stdin: withPrompt('second') });
    await svcctl(['patch', 'agent/a', '-p', 'spec: {prompt: third}']);
    expect((await svcctl(['history', 'agent/a'])).out).toMatch(/^VERSION +AGE +BY +STATE\n3 .*current\n2 .*replaced .* ago\n1 /);
    expect(JSON.parse((await svcctl(['history', 'agent', 'a', '-o', 'json'])).out)).toMatchObject([{ generation: 3 }, {}, {}]);
    expect((await svcctl(['history', 'agent/a', '--show', '1'])).out).toMatch(/kind: Agent[^]*prompt: first/);
    const two = await svcctl(['history', 'agent/a', '--diff', '1..2']);
    expect(two).toMatchObject({ code: 1, out: expect.stringMatching(/\n- {2}prompt: first\n\+ {2}prompt: second/) as string });
    expect((await svcctl(['history', 'agent/a', '--diff', '2'])).out).toMatch(/- {2}prompt: second\n\+ {2}prompt: third/);
    expect(await svcctl(['history', 'agent/a', '--diff', '3'])).toMatchObject({ code: 0, out: '' });
  });

  test('restore a version as a new one and keep labels', async () => {
    const { svcctl, read } = await namespaceWith(withPrompt('first'));
    await svcctl(['apply', '-f', '-'], { stdin: withPrompt('second').replace('set: one', 'set: two') });
    const dry = await svcctl(['restore', 'agent/a', '--to', '1', '--dry-run']);
    expect(dry.out).toMatch(/- {2}prompt: second\n\+ {2}prompt: first[^]*restored to version 1 \(dry run\)\n$/);
    expect(await read('agent/a')).toMatchObject({ metadata: { generation: 2 }, spec: { prompt: 'second' } });
    expect((await svcctl(['restore', 'agent/a', '--to', '1'])).out).toBe('agent/a restored to version 1; the object is at version 3\n');
    expect(await read('agent/a')).toMatchObject({ metadata: { generation: 3, labels: { set: 'two' } }, spec: { prompt: 'first' } });
    expect((await svcctl(['restore', 'agent/a', '--to', '1'])).out).toBe('agent/a unchanged: version 1 has the current spec\n');
  });

  test('refuse versions, ranges and kinds that have none', async () => {
    const { svcctl } = await namespaceWith(withPrompt('first'), secret('s', 'x'));
    expect(await svcctl(['restore', 'agent/a', '--to', '7'])).toMatchObject({
      code: 5,
      err: expect.stringContaining('no version 7') as string,
    });
    expect(await svcctl(['history', 'agent/a', '--diff', 'a..b'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('3..5') as string,
    });
    expect(await svcctl(['history', 'agent/a', '--show', '0'])).toMatchObject({ code: 2 });
    expect(await svcctl(['history', 'secret/s'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('no versions are kept of secrets') as string,
    });
    expect(await svcctl(['history', 'agents'])).toMatchObject({ code: 2 });
  });
});

describe('label', () => {
  test('sets and removes entries of several objects, and writes nothing to unchanged ones', async () => {
    const { svcctl, read } = await namespaceWith(agent('a'), agent('b'));
    expect((await svcctl(['label', 'agents', 'a', 'b', 'tier=gold', 'set-'])).out).toBe('agent/a labeled\nagent/b labeled\n');
    const { metadata } = await read('agent/a');
    expect(metadata.labels).toEqual({ tier: 'gold' });
    expect((await svcctl(['label', 'agents', '-l', 'tier', 'tier=gold'])).out).toBe('agent/a unchanged\nagent/b unchanged\n');
    expect((await read('agent/a')).metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  test('replaces a value with --overwrite only', async () => {
    const { svcctl, read } = await namespaceWith(agent('a'), agent('b', 'other: x'));
    const refused = await svcctl(['label', 'agents', '--all', 'set=two']);
    expect(refused).toMatchObject({ code: 1, out: 'agent/b labeled\n', err: 'error: agent/a has the label set=one already\n' });
    expect((await svcctl(['label', 'agent/a', 'set=two'])).err).toContain('hint: replace it with --overwrite');
    expect((await svcctl(['label', 'agent/a', 'set=two', '--overwrite', '--dry-run'])).out).toBe('agent/a labeled (dry run)\n');
    expect((await read('agent/a')).metadata.labels).toEqual({ set: 'one' });
    expect((await svcctl(['label', 'agent/a', 'set=two', '--overwrite'])).out).toBe('agent/a labeled\n');
    expect((await read('agent/a')).metadata.labels).toEqual({ set: 'two' });
  });

  test('loses no concurrent change', async () => {
    const { svcctl, read } = await namespaceWith(agent('a'));
    const runs = Array.from({ length: 4 }, (_, i) => svcctl(['label', 'agent/a', `k${i}=v`]));
    expect((await Promise.all(runs)).map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect((await read('agent/a')).metadata.labels).toEqual({ set: 'one', k0: 'v', k1: 'v', k2: 'v', k3: 'v' });
  });

  test.each([
    [['agent/a'], 'no label given'],
    [['agents', 'k=v'], 'which agents?'],
    [['agent/a', 'k=v', 'k-'], 'given twice'],
    [['agent/a', '=v'], 'has no key'],
    [['agent/a', '-l', 'x=y', 'k=v'], 'names cannot be combined'],
  ])('refuses %j', async (argv, message) => {
    const { svcctl } = await namespaceWith(agent('a'));
    expect(await svcctl(['label', ...argv])).toMatchObject({ code: 2, err: expect.stringContaining(message) as string });
  });

  test('annotate keeps texts that no label could hold', async () => {
    const { svcctl, read } = await namespaceWith(agent('a'));
    expect((await svcctl(['annotate', 'agent/a', 'owner=Ann = Lee', 'link=https://x/?a=b'])).out).toBe('agent/a annotated\n');
    expect((await read('agent/a')).metadata.annotations).toEqual({ owner: 'Ann = Lee', link: 'https://x/?a=b' });
    expect((await svcctl(['annotate', 'agent/a', 'owner-', '-o', 'name'])).out).toBe('agent/a\n');
    expect((await read('agent/a')).metadata.annotations).toEqual({ link: 'https://x/?a=b' });
  });
});

describe('patch', () => {
  test('merges, removes with null, and reports when nothing changes', async () => {
    const { svcctl, read } = await namespaceWith(agent('a'));
    expect((await svcctl(['patch', 'agent/a', '-p', '{"spec":{"prompt":"go","tools":["t"]}}'])).out).toBe('agent/a patched\n');
    expect((await read('agent/a')).spec).toMatchObject({ prompt: 'go', tools: ['t'], model_ref: 'm' });
    expect((await svcctl(['patch', 'agent', 'a', '-p', '{spec: {prompt: go}, status: {phase: x}}'])).out).toBe('agent/a unchanged\n');
    expect((await svcctl(['patch', 'agent/a', '-p', 'spec: {prompt: null}', '--dry-run', '-o', 'json'])).out).not.toContain(
      '"prompt": "go"',
    );
    expect((await read('agent/a')).spec).toMatchObject({ prompt: 'go' });
    const unchanged = await svcctl(['patch', 'agent/a', '-p', 'spec: {prompt: go}', '-o', 'json']);
    expect((JSON.parse(unchanged.out) as Resource).spec).toMatchObject({ prompt: 'go' });
    expect((await svcctl(['delete', 'agent/a', '-o', 'name'])).out).toBe('agent/a\n');
  });

  test('applies a JSON patch to the version it read', async () => {
    const { svcctl, read } = await namespaceWith(agent('a'));
    const operations = [
      { op: 'test', path: '/spec/model_ref', value: 'm' },
      { op: 'add', path: '/spec/tools', value: ['t'] },
      { op: 'add', path: '/spec/tools/-', value: 'u' },
      { op: 'remove', path: '/metadata/labels/set' },
    ];
    expect((await svcctl(['patch', 'agent/a', '--type', 'json', '--patch-file', '-'], { stdin: JSON.stringify(operations) })).out).toBe(
      'agent/a patched\n',
    );
    expect(await read('agent/a')).toMatchObject({ metadata: { labels: {} }, spec: { tools: ['t', 'u'] } });
    const failed = await svcctl([
      'patch',
      'agent/a',
      '--type',
      'json',
      '-p',
      JSON.stringify([{ op: 'test', path: '/spec/model_ref', value: 'n' }]),
    ]);
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('is "m", not "n"') as string });
    const status = await svcctl(['patch', 'agent/a', '--type', 'json', '-p', '[{"op":"add","path":"/status/phase","value":"x"}]']);
    expect(status).toMatchObject({ code: 2, err: expect.stringContaining('changes spec, metadata.labels') as string });
  });

  test('keeps values of a Secret that it does not name', async () => {
    const { svcctl } = await namespaceWith(secret('s', 'first'));
    const add = JSON.stringify([{ op: 'add', path: '/spec/data/other', value: Buffer.from('x').toString('base64') }]);
    const { out } = await svcctl(['patch', 'secret/s', '--type', 'json', '-p', add, '-o', 'json']);
    expect((JSON.parse(out) as Resource).spec).toEqual({ data: { token: '***', other: '***' } });
    // The stored value is still the first one: applying it again changes nothing but the key that it does not name.
    expect((await svcctl(['diff', '-f', '-'], { stdin: secret('s', 'first') })).out).toContain('-    other: "***"');
  });

  test.each([
    [['-p', '[]'], 'a merge patch is an object'],
    [['-p', '{'], 'neither JSON nor YAML'],
    [[], 'which patch?'],
    [['-p', '{}', '--patch-file', 'x'], 'which patch?'],
    [['--patch-file', 'absent'], 'cannot read absent: no such file or directory'],
  ])('refuses %j', async (argv, message) => {
    const { svcctl } = await namespaceWith(agent('a'));
    expect(await svcctl(['patch', 'agent/a', ...argv])).toMatchObject({ code: 2, err: expect.stringContaining(message) as string });
  });

  test('prints what the server refuses and the object that is absent', async () => {
    const { svcctl } = await namespaceWith(agent('a'));
    expect((await svcctl(['patch', 'agent/a', '-p', '{"spec":{"promt":"x"}}'])).err).toContain('spec.promt');
    expect((await svcctl(['patch', 'agent/b', '-p', '{"spec":{"prompt":"x"}}'])).code).toBe(5);
  });
});

describe('edit', () => {
  test('writes what the editor changed and removes its file', async () => {
    const { svcctl, read } = await namespaceWith(agent('a'));
    const script = `cp "$1" ${cwd}/seen; echo "$1" > ${cwd}/path; sed -i 's/be brief/be long/; s/set: one/set: two/' "$1"`;
    expect(await svcctl(['edit', 'agent/a'], await edited(script))).toMatchObject({ code: 0, out: 'agent/a edited\n' });
    expect(await read('agent/a')).toMatchObject({ metadata: { labels: { set: 'two' } }, spec: { prompt: 'be long', model_ref: 'm' } });
    const seen = await readFile(join(cwd, 'seen'), 'utf8');
    expect(seen).toMatch(/^#: Agent ns-\d+\/a\. Save/);
    expect(seen).toContain('\nspec:\n  model_ref: m\n  prompt: be brief\n');
    expect(seen).not.toContain('status:');
    await expect(readFile((await readFile(join(cwd, 'path'), 'utf8')).trim())).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test.each([
    ['left as it was', 'true', 'Nothing was changed.\n'],
    ['formatted otherwise', `echo '# a comment' >> "$1"`, 'Nothing was changed.\n'],
    ['emptied', ': > "$1"', 'The text is empty; nothing was changed.\n'],
  ])('writes nothing when the text was %s', async (_title, script, err) => {
    const { svcctl, read } = await namespaceWith(agent('a'));
    expect(await svcctl(['edit', 'agent/a'], await edited(script))).toEqual({ code: 0, out: '', err });
    expect((await read('agent/a')).metadata.resourceVersion).toBe('1');
  });

  test('opens the text again with the reasons of the server on top', async () => {
    const { svcctl, read } = await namespaceWith(agent('a'));
    const script = `if grep -q 'Not written' "$1"; then cp "$1" ${cwd}/again; sed -i 's/promt/prompt/' "$1"; else sed -i 's/prompt: .*/promt: typo/' "$1"; fi`;
    expect((await svcctl(['edit', 'agent/a'], await edited(script))).out).toBe('agent/a edited\n');
    expect((await read('agent/a')).spec).toMatchObject({ prompt: 'typo' });
    const again = await readFile(join(cwd, 'again'), 'utf8');
    expect(again).toMatch(/^#: Not written: spec\.promt .*did you mean "prompt"/);
    expect(again).toContain('\n  promt: typo\n');
  });

  test.each([
    ['another name', `sed -i 's/name: a/name: b/' "$1"`, 'cannot be changed'],
    ['a broken text', `echo 'spec: [' > "$1"`, 'line '],
    ['a status', `printf 'status: {}\\n' >> "$1"`, 'status cannot be edited'],
    ['two objects', `printf -- '---\\na: 1\\n' >> "$1"`, 'one object'],
  ])('keeps %s in a file that the error names', async (_title, script, message) => {
    const { svcctl } = await namespaceWith(agent('a'));
    const { code, err } = await svcctl(['edit', 'agent/a'], { env: { EDITOR: await editor(script) } });
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(message) as string });
    const file = /your text is kept in (\S+)/.exec(err)?.[1] ?? '';
    expect((await readFile(file, 'utf8')).length).toBeGreaterThan(0);
    await rm(dirname(file), { recursive: true });
  });

  test('keeps the change of another writer in other fields', async () => {
    const { n, svcctl, read } = await namespaceWith(agent('a'));
    const other = patchByNode(n, { spec: { model_ref: 'other' } });
    const { out, err } = await svcctl(['edit', 'agent/a'], await edited(`sed -i 's/be brief/be long/' "$1"; ${other}`));
    expect({ out, err }).toEqual({ out: 'agent/a edited\n', err: expect.stringContaining('both changes are kept') as string });
    expect((await read('agent/a')).spec).toMatchObject({ prompt: 'be long', model_ref: 'other' });
  });

  test('opens the newer version when another writer changed the same field', async () => {
    const { n, svcctl, read } = await namespaceWith(agent('a'));
    const other = patchByNode(n, { spec: { prompt: 'theirs', model_ref: 'other' } });
    const script = `if grep -q 'Not written' "$1"; then cp "$1" ${cwd}/conflict; else sed -i 's/be brief/mine/' "$1"; ${other}; fi`;
    const { out } = await svcctl(['edit', 'agent/a'], await edited(`${script}; echo >> "$1"`));
    expect(out).toBe('agent/a edited\n');
    expect(await readFile(join(cwd, 'conflict'), 'utf8')).toMatch(
      /^#: Not written: the object was changed meanwhile[^\n]*\n#: Not written: spec\.prompt is now "theirs"\n[^]*model_ref: other\n +prompt: mine\n/,
    );
    expect((await read('agent/a')).spec).toMatchObject({ prompt: 'mine', model_ref: 'other' });
  });

  test('keeps the text when there is no terminal to show the newer version', async () => {
    const { n, svcctl, read } = await namespaceWith(agent('a'));
    const other = patchByNode(n, { spec: { prompt: 'theirs' } });
    const EDITOR = await editor(`sed -i 's/be brief/mine/' "$1"; ${other}`);
    const { code, err } = await svcctl(['edit', 'agent/a'], { env: { EDITOR } });
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('changed meanwhile') as string });
    const file = /your text is kept in (\S+)/.exec(err)?.[1] ?? '';
    expect(await readFile(file, 'utf8')).toContain('prompt: mine');
    await rm(dirname(file), { recursive: true });
    expect((await read('agent/a')).spec).toMatchObject({ prompt: 'theirs' });
  });

  test('changes one value of a Secret and keeps the others', async () => {
    const { svcctl } = await namespaceWith(secret('s', 'first'));
    const script = `cp "$1" ${cwd}/secret; printf '  stringData:\\n    more: value\\n' >> "$1"`;
    expect((await svcctl(['edit', 'secret/s'], await edited(script))).out).toBe('secret/s edited\n');
    expect(await readFile(join(cwd, 'secret'), 'utf8')).toContain('token: "***"');
    const wanted = secret('s', 'first').replace('token: first', 'token: first, more: value');
    expect(await svcctl(['diff', '-f', '-'], { stdin: wanted })).toEqual({ code: 0, out: '', err: '' });
  });

  test('needs an editor where there is no terminal', async () => {
    const { svcctl } = await namespaceWith(agent('a'));
    expect(await svcctl(['edit', 'agent/a'])).toMatchObject({ code: 2, err: expect.stringContaining('no terminal to edit in') as string });
  });
});

/** A shell command that changes the agent `a` as another writer would. */
function patchByNode(namespace: string, patch: object): string {
  const headers = `{ 'content-type': 'application/merge-patch+json' }`;
  const code = `fetch('${server.url}/v1/agents/a?namespace=${namespace}', { method: 'PATCH', headers: ${headers}, body: JSON.stringify(${JSON.stringify(patch).replaceAll('"', "'")}) })`;
  return `${process.execPath} -e "${code}"`;
}

describe('diff', () => {
  test('shows what apply would change, with defaults applied, and writes nothing', async () => {
    const { svcctl, read } = await namespaceWith(agent('a'), agent('same'));
    const stdin = [agent('a').replace('be brief', 'be long'), agent('same'), agent('new')].join('---\n');
    const { code, out, err } = await svcctl(['diff', '-f', '-'], { stdin });
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toMatch(/^--- agent\/a in namespace \S+\n\+\+\+ agent\/a in namespace \S+\n@@ .* @@\n/);
    expect(out).toContain('\n-  prompt: be brief\n+  prompt: be long\n');
    expect(out).toMatch(/\n--- nothing\n\+\+\+ agent\/new in namespace \S+, new\n[^]*\n\+kind: Agent\n/);
    expect(out).not.toContain('agent/same');
    expect(await read('agent/a')).toMatchObject({ metadata: { resourceVersion: '1' } });
    expect((await svcctl(['apply', '-f', '-'], { stdin })).code).toBe(0);
    expect(await svcctl(['diff', '-f', '-'], { stdin })).toEqual({ code: 0, out: '', err: '' });
  });

  test('never prints a value of a Secret, and reports when only values differ', async () => {
    const { svcctl } = await namespaceWith(secret('s', 'first-value'));
    const changed = await svcctl(['diff', '-f', '-'], { stdin: secret('s', 'second-value') });
    expect(changed).toMatchObject({ code: 1, out: expect.stringContaining('Values that are not shown would change.') as string });
    const added = await svcctl(['diff', '-f', '-'], { stdin: secret('t', 'third-value') });
    expect(added).toMatchObject({ code: 1, out: expect.stringContaining('+    token: "***"') as string });
    const encoded = ['first-value', 'second-value', 'third-value'].flatMap((value) => [value, Buffer.from(value).toString('base64')]);
    for (const value of encoded) expect(`${changed.out}${changed.err}${added.out}${added.err}`).not.toContain(value);
  });

  test('ends with 2 or more when it fails', async () => {
    const { svcctl } = await namespaceWith();
    expect((await svcctl(['diff', '-f', '-'], { stdin: agent('a').replace('prompt', 'promt') })).code).toBe(2);
    expect((await svcctl(['diff', '-f', 'absent.yaml'])).code).toBe(2);
    expect((await svcctl(['diff', '-f', '-'], { stdin: agent('a'), env: { SVCCTL_SERVER: 'http://127.0.0.1:1' } })).code).toBe(3);
  });

  test('is coloured on a terminal only', async () => {
    const { svcctl } = await namespaceWith();
    expect((await svcctl(['diff', '-f', '-'], { stdin: agent('a'), columns: 80 })).out).toContain('\u001b[32m+kind: Agent\u001b[39m');
    expect((await svcctl(['diff', '-f', '-'], { stdin: agent('a') })).out).not.toContain('\u001b');
  });
});

test('logs print the last lines, those of a time, and those of several runs', async () => {
  const { svcctl } = await namespaceWith();
  await svcctl(['apply', '-f', join(blueprintsDirectory(), 'single-agent')]);
  await svcctl(['run', 'single-agent', '--name', 'one', '-q']);
  await svcctl(['run', 'single-agent', '--name', 'two', '-q']);
  await svcctl(['label', 'tasks', 'one', 'two', 'batch=7']);
  const all = (await svcctl(['logs', 'one'])).out.trimEnd().split('\n');
  expect(all.length).toBeGreaterThan(3);
  expect((await svcctl(['logs', 'one', '--tail', '2'])).out).toBe(`${all.slice(-2).join('\n')}\n`);
  expect(await svcctl(['logs', 'one', '--tail', '0'])).toEqual({ code: 0, out: '', err: '' });
  expect((await svcctl(['logs', 'one', '--since', '1d'])).out.trimEnd().split('\n')).toEqual(all);
  expect((await svcctl(['logs', 'one', '--since', '1ms'])).out).toBe('');
  const both = await svcctl(['logs', '-l', 'batch=7', '--tail', '1', '-f']);
  expect(both.out).toBe(`[task/one] ${all.at(-1) ?? ''}\n[task/two] ${(await svcctl(['logs', 'two', '--tail', '1'])).out}`);
  expect((await svcctl(['logs', '-l', 'batch=8'])).err).toBe('No tasks match.\n');
  expect((await svcctl(['logs', 'one', '-l', 'batch=7'])).code).toBe(2);
});

test('get -w names an object that does not exist', async () => {
  const watch = start(['get', 'agent/none', '-w']);
  await watch.prints('agent/none does not exist; waiting for it\n').then(() => watch.interrupt());
  expect((await watch.done).code).toBe(0);
});
