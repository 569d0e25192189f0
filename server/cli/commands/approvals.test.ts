// `svcctl approvals` against a real server: what waits, the exact call, and a decision with another input that loses nothing of what was typed.
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startCliServer } from '../../testing/cli-server.ts';

const { server, cwd, start, svcctl, freshNamespace } = await startCliServer();

const INPUT = '{"to":"x@example","lines":["a","b"],"sum":1.50}';
const toolApproval = (name: string, more = '') =>
  `apiVersion: svc.dev/v1\nkind: ToolApproval\nmetadata: { name: ${name} }\nspec: { task_ref: t, tool: mail, operation_class: write, agent: writer, reason: asks first, input: '${INPUT}'${more} }\n`;
const taskApproval = (name: string) =>
  `apiVersion: svc.dev/v1\nkind: TaskApproval\nmetadata: { name: ${name} }\nspec: { task_ref: t, checkpoint_id: final, agent: writer, output: "the\\ndraft" }\n`;

async function withApprovals(...documents: string[]): Promise<string> {
  const n = freshNamespace();
  expect((await svcctl(['apply', '-n', n, '-f', '-'], { stdin: documents.join('---\n') })).code).toBe(0);
  return n;
}
const read = async (n: string, word: string) =>
  JSON.parse((await svcctl(['approvals', 'show', word, '-n', n, '-o', 'json'])).out) as { status: any };

/** An editor that runs this shell script on the file. */
async function editor(script: string): Promise<string> {
  const file = join(cwd, `editor-${freshNamespace()}.sh`);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

describe('list', () => {
  test('lists pending approvals of both kinds, soonest to expire first, and with --all the others', async () => {
    const n = await withApprovals(
      toolApproval('late', ', ttl: 3h'),
      toolApproval('soon', ', ttl: 5m'),
      toolApproval('gone'),
      taskApproval('draft'),
    );
    await svcctl(['approvals', 'deny', 'gone', '-n', n]);
    const { out } = await svcctl(['approvals', 'list', '-n', n]);
    expect(out.replaceAll(/ {2,}/g, ' | ').replaceAll(/in \w+/g, 'in …')).toBe(
      'NAME | TASK | WHAT | AGENT | FROM | EXPIRES\n' +
        'tool-approval/soon | t | mail (write) | writer | - | in …\n' +
        'task-approval/draft | t | checkpoint final, review 1 | writer | - | in …\n' +
        'tool-approval/late | t | mail (write) | writer | - | in …\n',
    );
    expect((await svcctl(['approvals', 'list', '-n', n, '--all', '-o', 'name', '--kind', 'tool'])).out.trim().split('\n').sort()).toEqual([
      'tool-approval/gone',
      'tool-approval/late',
      'tool-approval/soon',
    ]);
    expect((await svcctl(['approvals', 'list', '-n', n, '--task', 'other'])).err).toBe(`Nothing waits for a decision in namespace ${n}.\n`);
    expect((await svcctl(['approvals', 'list', '-A', '--all'])).out).toMatch(new RegExp(`^${n} +tool-approval/gone +Denied `, 'm'));
  });

  test('-w prints each later change', async () => {
    const n = await withApprovals(toolApproval('a'), toolApproval('b'));
    const watch = start(['approvals', 'list', '-n', n, '-w']);
    await watch.prints('tool-approval/a   Pending');
    await watch.prints('tool-approval/b   Pending');
    await svcctl(['approvals', 'approve', 'a', '-n', n]);
    await watch.prints('tool-approval/a   Approved');
    await svcctl(['delete', '-n', n, 'tool-approval/b']);
    await watch.prints('tool-approval/b   Deleted');
    watch.interrupt();
    expect((await watch.done).code).toBe(0);
  });
});

describe('show', () => {
  test('prints the exact input and, once decided, the decision', async () => {
    const n = await withApprovals(toolApproval('a', ', ttl: 5m'));
    const pending = await svcctl(['approvals', 'show', 'a', '-n', n]);
    expect(pending.out).toMatch(/^State: +Pending$/m);
    expect(pending.out).toMatch(/^Expires: +\S+Z \(in \w+\)$/m);
    expect(pending.out).toContain('Input:\n  {\n    "to": "x@example",\n');
    await svcctl(['approvals', 'approve', 'a', '-n', n, '--input-json', '{"to":"y"}', '--comment', 'fine', '--as', 'ann']);
    const decided = await svcctl(['approvals', 'show', 'tool-approval/a', '-n', n]);
    expect(decided.out).toMatch(/^Decided by: +ann$/m);
    expect(decided.out).toMatch(/^Comment: +fine$/m);
    expect(decided.out).toContain('Edited input, which ran instead:\n  {\n    "to": "y"\n  }\n');
  });

  test('prints the output under review, and nothing that could steer a terminal', async () => {
    const n = await withApprovals(taskApproval('a').replace('draft', 'draft\\e[2J'));
    const { out } = await svcctl(['approvals', 'show', 'a', '-n', n]);
    expect(out).toMatch(/^Output under review:\n {2}the\n {2}draft/m);
    expect(out).not.toContain('\u001b');
  });
});

describe('a name', () => {
  test('a name that both kinds have is refused without a kind', async () => {
    const n = await withApprovals(toolApproval('same'), taskApproval('same'));
    const both = await svcctl(['approvals', 'deny', 'same', '-n', n]);
    expect(both).toMatchObject({ code: 2, err: expect.stringContaining('tool-approval/same or task-approval/same') });
    expect((await svcctl(['approvals', 'deny', 'tool/same', '-n', n])).out).toBe('tool-approval/same denied\n');
    expect((await svcctl(['approvals', 'show', 'same', '--kind', 'task', '-n', n, '-o', 'name'])).out).toBe('task-approval/same\n');
    expect((await svcctl(['approvals', 'show', 'task-approval/same', '--kind', 'tool', '-n', n])).code).toBe(2);
  });

  test.each([
    ['nobody', 5],
    ['agent/x', 2],
    ['tool-approval/', 2],
  ])('%s ends with code %i', async (name, code) => {
    expect((await svcctl(['approvals', 'show', name])).code).toBe(code);
  });
});

describe('approve', () => {
  test.each<[string, string[], string | undefined]>([
    ['--input-json', ['--input-json', '{"to":"y"}'], undefined],
    ['--input-file -', ['--input-file', '-'], 'to: y\n'],
  ])('takes another input with %s', async (_, flags, stdin) => {
    const n = await withApprovals(toolApproval('a'));
    const { out, code } = await svcctl(['approvals', 'approve', 'a', '-n', n, ...flags], stdin === undefined ? {} : { stdin });
    expect({ out, code }).toEqual({ code: 0, out: 'tool-approval/a approved with another input\n' });
    expect(JSON.parse((await read(n, 'a')).status.edited_input)).toEqual({ to: 'y' });
  });

  test.each<[string, string[], RegExp]>([
    ['invalid JSON', ['--input-json', '{'], /--input-json: this is not JSON/],
    ['an input that is no object', ['--input-json', '3'], /is an object/],
    ['a file that is not there', ['--input-file', 'absent.json'], /cannot read absent\.json: no such file or directory/],
    ['two inputs', ['--edit', '--input-json', '{}'], /--input-json and --edit cannot be combined/],
    ['an answer and an outcome', ['--answer', 'x', '--outcome', 'done'], /--answer and --outcome cannot be combined/],
    ['an editor where there is no terminal', ['--edit'], /no terminal to edit in/],
  ])('refuses %s and decides nothing', async (_, flags, message) => {
    const n = await withApprovals(toolApproval('a'));
    expect(await svcctl(['approvals', 'approve', 'a', '-n', n, ...flags])).toMatchObject({ code: 2, err: expect.stringMatching(message) });
    expect((await read(n, 'a')).status.phase).toBe('Pending');
  });

  test('--answer answers in place of the call', async () => {
    const n = await withApprovals(toolApproval('a'));
    expect((await svcctl(['approve', 'a', '-n', n, '--answer', 'sent on Monday'])).out).toBe(
      'tool-approval/a answered in place of the call\n',
    );
    expect((await read(n, 'a')).status).toMatchObject({ phase: 'Approved', outcome: 'answered', output: 'sent on Monday' });
    expect((await svcctl(['approvals', 'show', 'a', '-n', n])).out).toContain('Answer in place of the call:\n  sent on Monday\n');
  });

  test('options of a tool call are refused for a task approval', async () => {
    const n = await withApprovals(taskApproval('a'));
    expect((await svcctl(['approve', 'a', '-n', n, '--outcome', 'done'])).err).toMatch(/--outcome is for tool approvals/);
  });

  test('--edit approves the saved text and removes its file', async () => {
    const n = await withApprovals(toolApproval('a'));
    const EDITOR = await editor(`cp "$1" ${cwd}/seen; echo "$1" > ${cwd}/path; sed -i 's/x@example/y@example/' "$1"`);
    const { out } = await svcctl(['approvals', 'approve', 'a', '-n', n, '--edit'], { env: { EDITOR } });
    expect(out).toBe('tool-approval/a approved with another input\n');
    expect(JSON.parse((await read(n, 'a')).status.edited_input)).toEqual({ to: 'y@example', lines: ['a', 'b'], sum: 1.5 });
    expect(await readFile(join(cwd, 'seen'), 'utf8')).toContain('to: x@example\nlines:\n  - a\n');
    await expect(readFile((await readFile(join(cwd, 'path'), 'utf8')).trim())).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test.each([
    ['left as it was', 'true', 'the input was not changed'],
    ['emptied', ': > "$1"', 'the text is empty'],
    ['given up', 'exit 3', 'ended with exit code 3'],
  ])('--edit decides nothing when the text was %s', async (_, script, message) => {
    const n = await withApprovals(toolApproval('a'));
    const { code, err } = await svcctl(['approve', 'a', '-n', n, '--edit'], { env: { EDITOR: await editor(script) } });
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(message) });
    expect(err).not.toContain('kept in');
    expect((await read(n, 'a')).status.phase).toBe('Pending');
  });

  test('--edit opens the editor again with the reason, when there is a terminal', async () => {
    const n = await withApprovals(toolApproval('a'));
    const EDITOR = await editor(
      `if grep -q 'Not used' "$1"; then cp "$1" ${cwd}/again; echo '{"to": "z"}' > "$1"; else echo 'to: [' > "$1"; fi`,
    );
    const { out } = await svcctl(['approve', 'a', '-n', n, '--edit'], { env: { EDITOR }, tty: true });
    expect(out).toBe('tool-approval/a approved with another input\n');
    expect(await readFile(join(cwd, 'again'), 'utf8')).toMatch(/^#: Not used: this is neither JSON nor YAML: .*\nto: \[\n$/);
  });

  test('--edit ends with an editor that changes a refused text each time, as sed does', async () => {
    const n = await withApprovals(toolApproval('a'));
    const { code, err } = await svcctl(['approve', 'a', '-n', n, '--edit'], { env: { EDITOR: "sed -i '1s/^/{/'" }, tty: true });
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/neither JSON nor YAML[^]*your text is kept in/) });
    await rm(dirname(/kept in (\S+)/.exec(err)?.[1] ?? ''), { recursive: true });
  });

  test('--edit keeps a text that cannot be used in a file, and reports the path', async () => {
    const n = await withApprovals(toolApproval('a'));
    const broken = await svcctl(['approve', 'a', '-n', n, '--edit'], { env: { EDITOR: await editor(`echo 'to: [' > "$1"`) } });
    const file = /your text is kept in (\S+)/.exec(broken.err)?.[1] ?? '';
    expect(await readFile(file, 'utf8')).toBe('to: [\n');
    await rm(dirname(file), { recursive: true });
    const deny = `fetch('${server.url}/v1/tool-approvals/a/deny?namespace=${n}', { method: 'POST' })`;
    const raced = await editor(`echo 'to: q' > "$1"; ${process.execPath} -e "${deny}"`);
    const late = await svcctl(['approve', 'a', '-n', n, '--edit'], { env: { EDITOR: raced } });
    expect(late).toMatchObject({ code: 1, err: expect.stringMatching(/is Denied[^]*your text is kept in/) });
    await rm(dirname(/kept in (\S+)/.exec(late.err)?.[1] ?? ''), { recursive: true });
  });

  test('--edit of one that is decided, or about a call that was sent, opens nothing', async () => {
    const sent = toolApproval('sent').replace('name: sent', 'name: sent, annotations: { svc.dev/approval-reason: unknown_outcome }');
    const n = await withApprovals(toolApproval('a'), sent);
    expect(await svcctl(['approve', 'sent', '-n', n, '--edit'], { env: { EDITOR: 'false' } })).toMatchObject({
      code: 2,
      err: expect.stringContaining('--outcome'),
    });
    await svcctl(['deny', 'a', '-n', n]);
    expect((await svcctl(['approve', 'a', '-n', n, '--edit'], { env: { EDITOR: 'false' } })).err).toMatch(/tool-approval\/a is Denied/);
  });
});

test('outputs under review are approved, denied and sent back', async () => {
  const n = await withApprovals(taskApproval('good'), taskApproval('bad'), taskApproval('thin'));
  const sent = async (...argv: string[]) => (await svcctl(['approvals', ...argv, '-n', n])).out;
  expect(await sent('approve', 'good', '--as', 'ann')).toBe('task-approval/good approved\n');
  expect(await sent('deny', 'bad')).toBe('task-approval/bad denied\n');
  expect(await sent('request-changes', 'thin', '--comment', 'name the sources')).toBe('task-approval/thin sent back for changes\n');
  expect((await read(n, 'thin')).status).toMatchObject({ phase: 'ChangesRequested', comment: 'name the sources' });
  const shown = await sent('show', 'good');
  expect(shown).toMatch(/^Decided by: +ann$/m);
  expect(shown).toMatch(/^Record: +\d+ \(sha256:/m);
  expect((await svcctl(['decisions', 'verify'])).code).toBe(0);
});

test('request-changes sends the requested changes', async () => {
  expect((await svcctl(['approvals', 'request-changes', 'a'])).code).toBe(2);
  const misdirected = await svcctl(['approvals', 'request-changes', 'tool-approval/a', '--comment', 'x']);
  expect(misdirected).toMatchObject({ code: 2, err: 'error: "tool-approval/a" is not a task approval\n' });
  expect((await svcctl(['approvals', 'request-changes', 'absent', '--comment', 'x'])).code).toBe(5);
});

test('completion offers the subcommands and the pending approvals', async () => {
  const n = await withApprovals(toolApproval('waits'), toolApproval('over'), taskApproval('draft'));
  await svcctl(['deny', 'over', '-n', n]);
  // svcctl waits less than a second for names from the server: on a busy machine it offers none.
  const complete = async (...words: string[]) => (await svcctl(['__complete', '--', '-n', n, ...words])).out.trim().split('\n').sort();
  await expect.poll(() => complete('approvals', 'app')).toEqual(['approve']);
  await expect.poll(() => complete('approvals', 'approve', '')).toEqual(['draft', 'waits']);
  await expect.poll(() => complete('approvals', 'show', 'o')).toEqual(['over']);
  await expect.poll(() => complete('approvals', 'request-changes', '')).toEqual(['draft']);
  await expect.poll(() => complete('deny', 'w')).toEqual(['waits']);
  await expect.poll(() => complete('decisions', 'ver')).toEqual(['verify']);
  await expect.poll(() => complete('approvals', 'approve', 'waits', '--input')).toEqual(['--input-file', '--input-json']);
  await expect.poll(() => complete('approvals', 'list', '--kind', '')).toEqual(['task', 'tool']);
  await expect.poll(() => complete('decisions', '--')).not.toContain('--public-key');
});
