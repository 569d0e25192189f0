// svcctl against a real server: what people type, what they read on stdout and stderr, and the exit codes scripts rely on.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kinds } from '@svc/shared/kinds';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { blueprintsDirectory } from '../../installation.ts';
import { startCliServer } from '../../testing/cli-server.ts';
import { startTestServer } from '../../testing/running-server.ts';

const { server, cwd, start, svcctl, freshNamespace } = await startCliServer();

const blueprint = (name: string) => join(blueprintsDirectory(), name);
const names = (out: string) =>
  out
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/\s+/)[0]);

const agent = (name: string, extra = '') =>
  `apiVersion: svc.dev/v1\nkind: Agent\nmetadata:\n  name: ${name}\n  labels: { set: one }\nspec:\n  model_ref: m\n${extra}`;

describe('apply', () => {
  it('reports the outcome of each object, even when nothing changed', async () => {
    const n = freshNamespace();
    const stdin = `${agent('a')}---\n${agent('b')}`;
    expect(await svcctl(['apply', '-n', n, '-f', '-'], { stdin })).toEqual({ code: 0, out: 'agent/a created\nagent/b created\n', err: '' });
    expect((await svcctl(['apply', '-n', n, '-f', '-'], { stdin: stdin.replace('model_ref: m', 'model_ref: other') })).out).toBe(
      'agent/a configured\nagent/b unchanged\n',
    );
  });

  it('shows every refusal at the line it is about and applies nothing', async () => {
    const n = freshNamespace();
    await writeFile(join(cwd, 'two.yaml'), `${agent('good')}---\n${agent('bad', '  limits: { timeout: soon }\n  promt: x\n')}`);
    const { code, out, err } = await svcctl(['apply', '-n', n, '-f', 'two.yaml']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^error: two\.yaml:16:\d+: spec\.limits\.timeout must be a duration/m);
    expect(err).toMatch(/^error: two\.yaml:17:\d+: spec\.promt /m);
    expect(err).toMatch(/^error: 2 problems; nothing was applied\nhint: /m);
    expect((await svcctl(['get', 'agents', '-n', n])).err).toBe(`No agents in namespace ${n}.\n`);
    expect((await svcctl(['describe', 'agents', '-A', '-l', 'not=there'])).err).toBe('No agents in any namespace.\n');
  });

  it('names the places of two documents for one object', async () => {
    await writeFile(join(cwd, 'first.yaml'), `---\n${agent('a')}`);
    const { code, err } = await svcctl(['apply', '-f', 'first.yaml', '-f', '-'], { stdin: agent('a') });
    expect(code).toBe(1);
    expect(err).toContain('error: stdin:4:9: metadata.name names Agent default/a, which first.yaml:2 already defines\n');
  });

  it('writes nothing on a dry run', async () => {
    const n = freshNamespace();
    expect((await svcctl(['apply', '-n', n, '--dry-run', '-f', '-'], { stdin: agent('a') })).out).toBe('agent/a created (dry run)\n');
    expect((await svcctl(['get', 'agent/a', '-n', n])).code).toBe(5);
  });

  it('prunes objects that match the selector and are no longer named', async () => {
    const n = freshNamespace();
    await svcctl(['apply', '-n', n, '-f', '-'], { stdin: `${agent('a')}---\n${agent('b')}` });
    expect((await svcctl(['apply', '-n', n, '--prune', '-f', '-'], { stdin: agent('a') })).code).toBe(2);
    expect((await svcctl(['apply', '-n', n, '--prune', '-l', 'set=one', '-f', '-'], { stdin: agent('a') })).out).toBe(
      'agent/a unchanged\nagent/b pruned\n',
    );
  });

  it('accepts what get prints as YAML and as JSON', async () => {
    const n = freshNamespace();
    await svcctl(['apply', '-n', n, '-f', '-'], { stdin: `${agent('a')}---\n${agent('b')}` });
    const { out } = await svcctl(['get', 'agents', '-n', n, '-o', 'yaml']);
    expect(await svcctl(['apply', '-n', n, '-f', '-'], { stdin: out })).toEqual({
      code: 0,
      out: 'agent/a unchanged\nagent/b unchanged\n',
      err: '',
    });
    await svcctl(['delete', 'agents', 'a', 'b', '-n', n]);
    expect((await svcctl(['apply', '-n', n, '-f', '-'], { stdin: out })).out).toBe('agent/a created\nagent/b created\n');
    const { out: json } = await svcctl(['get', 'agents', '-n', n, '-o', 'json']);
    expect((await svcctl(['apply', '-n', n, '-f', '-'], { stdin: json })).out).toBe('agent/a unchanged\nagent/b unchanged\n');
  });
});

describe('get', () => {
  it('pages through everything and prints one aligned table', async () => {
    const n = freshNamespace();
    const many = Array.from({ length: 620 }, (_, i) => agent(`a${String(i).padStart(4, '0')}`)).join('---\n');
    expect((await svcctl(['apply', '-n', n, '-f', '-'], { stdin: many })).code).toBe(0);
    const { out } = await svcctl(['get', 'ag', '-n', n]);
    expect(names(out)).toEqual(Array.from({ length: 620 }, (_, i) => `a${String(i).padStart(4, '0')}`));
    const [header = '', ...rows] = out.trimEnd().split('\n');
    const column = header.indexOf('MODEL');
    expect(rows.every((row) => row.slice(column).startsWith('m '))).toBe(true);
    expect(names((await svcctl(['get', 'agents', '-n', n, '--limit', '501'])).out)).toHaveLength(501);
    expect(out).not.toContain('\u001b');
  });

  it('selects by label and over all namespaces', async () => {
    const [one, two] = [freshNamespace(), freshNamespace()];
    await svcctl(['apply', '-n', one, '-f', '-'], { stdin: agent('x').replace('set: one', `only: ${one}`) });
    await svcctl(['apply', '-n', two, '-f', '-'], { stdin: agent('x').replace('set: one', `only: ${one}`) });
    const { out } = await svcctl(['get', 'agents', '-A', '-l', `only=${one}`, '-o', 'json']);
    expect((JSON.parse(out) as { metadata: { namespace: string } }[]).map((each) => each.metadata.namespace)).toEqual([one, two]);
  });

  it('prints one object as an object, several as documents, and names', async () => {
    const n = freshNamespace();
    await svcctl(['apply', '-n', n, '-f', '-'], { stdin: `${agent('a')}---\n${agent('b')}` });
    expect(JSON.parse((await svcctl(['get', 'agent/a', '-n', n, '-o', 'json'])).out)).toMatchObject({
      kind: 'Agent',
      metadata: { name: 'a', resourceVersion: '1' },
    });
    const documents = parseAllDocuments((await svcctl(['get', 'agents', 'a', 'b', '-n', n, '-o', 'yaml'])).out);
    expect(documents).toHaveLength(2);
    expect((await svcctl(['get', 'agents', '-n', n, '-o', 'name'])).out).toBe('agent/a\nagent/b\n');
  });

  it('follows existing objects and changes until Ctrl-C', async () => {
    const n = freshNamespace();
    await svcctl(['apply', '-n', n, '-f', '-'], { stdin: agent('first') });
    const watch = start(['get', 'agents', '-n', n, '-w', '-o', 'name']);
    await watch.prints('agent/first existing\n');
    await svcctl(['apply', '-n', n, '-f', '-'], { stdin: agent('second') });
    await svcctl(['delete', 'agent/first', '-n', n]);
    await watch.prints('agent/first deleted\n');
    watch.interrupt();
    expect(await watch.done).toEqual({ code: 0, out: 'agent/first existing\nagent/second created\nagent/first deleted\n', err: '' });
  });

  it('keeps a live table aligned when a phase with a longer name comes later', async () => {
    const n = freshNamespace();
    const watch = start(['get', 'tasks', '-n', n, '-w']);
    await svcctl(['apply', '-n', n, '-f', blueprint('single-agent')]);
    await watch.prints('Succeeded');
    watch.interrupt();
    const lines = (await watch.done).out.trimEnd().split('\n');
    const [header = '', ...rows] = lines.slice(lines.findIndex((line) => line.startsWith('CHANGE')));
    const column = header.indexOf('SYSTEM') - header.indexOf('STATE');
    const widths = rows.map((row) => row.lastIndexOf('single-agent') - row.search(/Pending|Running|Succeeded/));
    expect(widths).toEqual(rows.map(() => column));
  });

  it('reports the problem and the remedy', async () => {
    expect(await svcctl(['get', 'agent/nope'])).toMatchObject({ code: 5, out: '', err: expect.stringContaining('error: ') });
    expect(await svcctl(['get', 'agnts'])).toEqual({
      code: 2,
      out: '',
      err: 'error: there is no kind "agnts"\nhint: did you mean "agents"?\n',
    });
    expect((await svcctl(['get', 'agnt'])).err).toContain('hint: did you mean "agent"?');
    expect(await svcctl(['help', 'gte'])).toMatchObject({ code: 2, out: '', err: expect.stringContaining("unknown command 'gte'") });
    expect((await svcctl(['help', 'get'])).out).toMatch(/^Usage: npx svcctl get /);
    expect(await svcctl(['get', 'agents', '--frobnicate'])).toMatchObject({ code: 2, out: '' });
    expect((await svcctl(['get', 'agents'], { env: { SVCCTL_SERVER: 'http://127.0.0.1:1' } })).code).toBe(3);
  });
});

describe('delete', () => {
  it('needs a confirmation for everything that matches, and none for names', async () => {
    const n = freshNamespace();
    await svcctl(['apply', '-n', n, '-f', '-'], { stdin: `${agent('a')}---\n${agent('b')}---\n${agent('c')}` });
    expect(await svcctl(['delete', 'agents', 'a', '-n', n])).toEqual({ code: 0, out: 'agent/a deleted\n', err: '' });
    expect((await svcctl(['delete', 'agents', '-l', 'set=one', '-n', n])).code).toBe(2);
    expect((await svcctl(['delete', 'agents', '-n', n])).code).toBe(2);
    expect((await svcctl(['delete', 'agents', '-l', 'set=one', '-n', n, '--yes'])).out).toBe('agent/b deleted\nagent/c deleted\n');
    expect((await svcctl(['delete', 'agent/a', '-n', n])).code).toBe(5);
    expect((await svcctl(['delete', 'agent/a', '-n', n, '--ignore-not-found'])).code).toBe(0);
  });

  it('takes the objects that manifests name', async () => {
    const n = freshNamespace();
    await svcctl(['apply', '-n', n, '-f', blueprint('single-agent')]);
    const { code, out } = await svcctl(['delete', '-n', n, '-f', blueprint('single-agent')]);
    expect({ code, lines: out.trim().split('\n').sort() }).toEqual({
      code: 0,
      lines: [
        'agent-system/single-agent deleted',
        'agent/assistant deleted',
        'model-endpoint/assistant-model deleted',
        'task/single-agent-run deleted',
      ],
    });
  });
});

describe('runs', () => {
  it.each(['single-agent', 'fan-out-join', 'cycle'])('runs the blueprint %s from its manifests to its end', async (name) => {
    const n = freshNamespace();
    const { code, out, err } = await svcctl(['apply', '--run', '-n', n, '-f', blueprint(name)]);
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('✓ Succeeded') });
    expect(out.trim()).not.toBe('');
  });

  it('runs a system under a new name, steps on stderr and the output on stdout', async () => {
    const n = freshNamespace();
    await svcctl(['apply', '-n', n, '-f', blueprint('fan-out-join')]);
    const { code, out, err } = await svcctl(['run', 'fan-out-join', '-n', n, '-i', 'request=why', '--input-file', '-'], {
      stdin: '{"budget": 1.10}',
    });
    expect({ code, out }).toEqual({
      code: 0,
      out: 'Verdict: yes, on one condition: customer-managed keys are on before the first byte moves.\n',
    });
    for (const step of ['▸ agent starts', '◆ model answer', 'intake → legal', '⋈ join', '✓ Succeeded in']) expect(err).toContain(step);
    const [, name = ''] = /^task\/(\S+)$/m.exec(err) ?? [];
    expect(JSON.parse((await svcctl(['get', `task/${name}`, '-n', n, '-o', 'json'])).out)).toMatchObject({
      spec: { input: { request: 'why', budget: '1.10' } },
    });
    const { out: tree } = await svcctl(['trace', name, '-n', n]);
    expect(tree).toMatch(/^├─ legal {2}b001\.001/m);
    expect(names((await svcctl(['messages', name, '-n', n])).out)).toHaveLength(7);
    expect((await svcctl(['logs', '-f', `task/${name}`, '-n', n])).out).toContain('task_summary');
    expect((await svcctl(['describe', 'task', name, '-n', n])).out).toContain('task.succeeded');
  });

  it('refuses a system that does not exist and leaves no Task behind', async () => {
    const n = freshNamespace();
    const hint = 'hint: list them with "npx svcctl get agent-systems -A"\n';
    expect(await svcctl(['run', 'nope', '-n', n])).toEqual({
      code: 5,
      out: '',
      err: `error: AgentSystem ${n}/nope does not exist\n${hint}`,
    });
    expect((await svcctl(['get', 'tasks', '-n', n])).err).toBe(`No tasks in namespace ${n}.\n`);
  });

  it('ends with 1 and the reason when the run fails', async () => {
    const n = freshNamespace();
    const stdin = 'apiVersion: svc.dev/v1\nkind: AgentSystem\nmetadata: { name: broken }\nspec: { agents: [absent] }\n';
    await svcctl(['apply', '-n', n, '-f', '-'], { stdin });
    const { code, out, err } = await svcctl(['run', 'broken', '-n', n, '--quiet']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/✗ Failed[^]*absent/);
  });

  it('leaves the run alone on Ctrl-C or after --timeout, or cancels it with --cancel-on-interrupt', async () => {
    const n = freshNamespace();
    const stdin = (await readFile(join(blueprint('single-agent'), 'single-agent.yaml'), 'utf8')).replace(
      /script: \|[^]*?repeat: true/,
      'script: |\n      - hang: true',
    );
    await svcctl(['apply', '-n', n, '-f', '-'], { stdin });
    const detached = start(['run', 'single-agent', '-n', n, '--name', 'left']);
    await detached.prints('model call');
    detached.interrupt();
    expect(await detached.done).toMatchObject({ code: 130, err: expect.stringContaining('task/left continues') });
    expect((await svcctl(['wait', 'task/left', '-n', n, '--for', 'phase=Running'])).out).toBe('task/left Running\n');
    expect((await svcctl(['wait', 'task/left', '-n', n, '--timeout', '50ms'])).code).toBe(6);
    expect((await svcctl(['cancel', 'left', '-n', n])).out).toBe('task/left cancelled\n');
    expect((await svcctl(['wait', 'task/left', '-n', n])).out).toBe('task/left Failed\n');
    const cancelled = start(['run', 'single-agent', '-n', n, '--name', 'ended', '--cancel-on-interrupt']);
    await cancelled.prints('model call');
    cancelled.interrupt();
    expect((await cancelled.done).code).toBe(130);
    expect((await svcctl(['wait', 'task/ended', '-n', n, '--for', 'phase=Failed'])).code).toBe(0);
    await svcctl(['cancel', 'single-agent-run', '-n', n]);
    const late = await svcctl(['run', 'single-agent', '-n', n, '--name', 'late', '--timeout', '50ms', '--label', 'batch=7']);
    expect(late).toMatchObject({
      code: 6,
      out: '',
      err: expect.stringContaining('error: timed out waiting for task/late; it continues\n'),
    });
    expect((await svcctl(['get', 'tasks', '-n', n, '-l', 'batch=7', '-o', 'name'])).out).toBe('task/late\n');
    expect(await svcctl(['run', 'single-agent', '-n', n, '--name', 'late'])).toEqual({
      code: 1,
      out: '',
      err: `error: Task ${n}/late already exists\nhint: choose another --name\n`,
    });
    expect((await svcctl(['cancel', 'late', '-n', n])).code).toBe(0);
  });

  it('approves and denies tool calls that wait for a person, once', async () => {
    const n = freshNamespace();
    const approval = (name: string) =>
      `apiVersion: svc.dev/v1\nkind: ToolApproval\nmetadata: { name: ${name} }\nspec: { task_ref: t, tool: pay }\n`;
    await svcctl(['apply', '-n', n, '-f', '-'], { stdin: `${approval('yes')}---\n${approval('no')}` });
    expect((await svcctl(['approve', 'yes', '-n', n, '--comment', 'fine'])).out).toBe('tool-approval/yes approved\n');
    expect((await svcctl(['deny', 'tool-approval/no', '-n', n])).out).toBe('tool-approval/no denied\n');
    const again = await svcctl(['deny', 'yes', '-n', n]);
    expect(again.code).not.toBe(0);
    expect(again.err).toMatch(/is Approved/);
    const shown = await svcctl(['get', 'tool-approval', 'yes', '-n', n, '-o', 'json']);
    expect(JSON.parse(shown.out)).toMatchObject({ status: { phase: 'Approved', comment: 'fine' } });
  });

  it('runs an ended task again with other input', async () => {
    const n = freshNamespace();
    await svcctl(['apply', '--run', '-n', n, '-f', blueprint('single-agent')]);
    const { code, out } = await svcctl(['retry', 'single-agent-run', '-n', n, '-i', 'question=why?', '--follow']);
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('question: why?') });
  });
});

describe('wait', () => {
  it('returns when an object is deleted, and fails for one that never existed', async () => {
    const n = freshNamespace();
    await svcctl(['apply', '-n', n, '-f', '-'], { stdin: agent('a') });
    const waiting = start(['wait', 'agent/a', '-n', n, '--for', 'delete']);
    await svcctl(['delete', 'agent/a', '-n', n]);
    expect(await waiting.done).toEqual({ code: 0, out: 'agent/a deleted\n', err: '' });
    expect((await svcctl(['wait', 'task/never', '-n', n])).code).toBe(5);
  });

  it('waits for many objects without a warning of Node.js', async () => {
    const n = freshNamespace();
    const warnings: Error[] = [];
    const listen = (warning: Error) => void warnings.push(warning);
    process.on('warning', listen);
    const objects = Array.from({ length: 12 }, (_, i) => `agent/a${i}`);
    await svcctl(['apply', '-n', n, '-f', '-'], { stdin: objects.map((each) => agent(each.slice('agent/'.length))).join('---\n') });
    const { code, out } = await svcctl(['wait', ...objects, '-n', n, '--for', 'create']);
    process.off('warning', listen);
    expect({ code, lines: out.trim().split('\n').sort(), warnings }).toEqual({
      code: 0,
      lines: objects.map((each) => `${each} created`).sort(),
      warnings: [],
    });
  });

  it('fails at once when the phase can no longer be reached', async () => {
    const n = freshNamespace();
    await svcctl(['apply', '--run', '-n', n, '-f', blueprint('single-agent')]);
    expect(await svcctl(['wait', 'task/single-agent-run', '-n', n, '--for', 'phase=Failed'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('ended in phase Succeeded'),
    });
  });
});

describe('without a server', () => {
  const env = { SVCCTL_SERVER: 'http://127.0.0.1:1' };

  it('finds every blueprint valid', async () => {
    expect(await svcctl(['validate', blueprintsDirectory()], { env })).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^valid: \d+ documents in 8 files\n$/),
    });
  });

  it('names every problem of every document with file, line and column', async () => {
    await writeFile(
      join(cwd, 'wrong.yaml'),
      `${agent('a', '  limits: { max_step: 3 }\n')}---\nkind: Agnt\napiVersion: svc.dev/v1\nmetadata: { name: "-x" }\n---\n${agent('a')}`,
    );
    const { code, err } = await svcctl(['validate', '-f', 'wrong.yaml'], { env });
    expect(code).toBe(1);
    expect(err.match(/wrong\.yaml:\d+:\d+: \S+/g)).toEqual([
      'wrong.yaml:8:23: spec.limits.max_step',
      'wrong.yaml:10:7: kind',
      'wrong.yaml:12:19: metadata.name',
      'wrong.yaml:17:9: metadata.name',
    ]);
  });

  it('accepts a document without apiVersion, as apply does', async () => {
    const stdin = agent('a').replace('apiVersion: svc.dev/v1\n', '');
    expect(await svcctl(['validate', '-f', '-'], { stdin })).toMatchObject({ code: 0, out: 'valid: 1 document in 1 file\n' });
    expect(await svcctl(['apply', '--dry-run', '-f', '-'], { stdin })).toMatchObject({ code: 0, out: 'agent/a created (dry run)\n' });
    const other = await svcctl(['validate', '-f', '-'], { stdin: agent('a').replace('svc.dev/v1', 'svc.dev/v2') });
    expect(other.err).toContain('apiVersion must be svc.dev/v1');
  });

  it('warns about valid documents that will not work', async () => {
    const documents = [
      ['Tool', 'bare', '{}'],
      ['AgentSystem', 'lost', '{ agents: [a], graph: { a: { next: b } } }'],
    ].map(([kind, name, spec]) => `apiVersion: svc.dev/v1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n`);
    await writeFile(join(cwd, 'odd.yaml'), documents.join('---\n'));
    const { code, err } = await svcctl(['validate', '-f', 'odd.yaml'], { env });
    expect(code).toBe(0);
    expect(err.trim().split('\n')).toEqual([
      expect.stringContaining('Tool default/bare: spec.endpoint is missing'),
      expect.stringContaining('AgentSystem default/lost: spec.graph.a.next leads to "b"'),
      expect.stringContaining('not checked by the server'),
    ]);
  });

  it('names the searched places when no documents are found', async () => {
    expect((await svcctl(['validate', '-f', '-'], { env })).err).toBe('error: no documents in standard input\n');
    expect((await svcctl(['apply', '-f', '-'], { env })).err).toBe('error: no documents in standard input\n');
  });

  it('explains kinds and fields, and lists kinds', async () => {
    expect((await svcctl(['explain', 'agent.spec.execution.profile'], { env })).out).toContain('one of dynamic, contract');
    expect((await svcctl(['explain', 'agent.prompt'], { env })).out).toMatch(/^Field: +spec\.prompt /m);
    expect((await svcctl(['explain', 'task.phase'], { env })).out).toMatch(/^Field: +status\.phase /m);
    expect((await svcctl(['explain', 'agent.spec.modelref'], { env })).err).toContain('did you mean "model_ref"?');
    expect(names((await svcctl(['api-resources'], { env })).out)).toHaveLength(kinds.length);
  });

  it('copies a blueprint and overwrites nothing unless forced', async () => {
    expect((await svcctl(['init', 'pipeline', 'copy'], { env })).out).toBe('copy/pipeline.yaml created\n');
    await writeFile(join(cwd, 'copy/pipeline.yaml'), 'mine');
    expect((await svcctl(['init', 'pipeline', 'copy'], { env })).code).toBe(1);
    expect(await readFile(join(cwd, 'copy/pipeline.yaml'), 'utf8')).toBe('mine');
    expect((await svcctl(['init', 'pipeline', 'copy', '--force'], { env })).code).toBe(0);
    expect((await svcctl(['init', 'a2a'], { env })).err).toContain('started with "npx svcd --a2a-allow-private-endpoints"');
    expect((await svcctl(['init', 'pipelin'], { env })).err).toContain('did you mean "pipeline"?');
    await writeFile(join(cwd, 'taken'), '');
    expect((await svcctl(['init', 'pipeline', 'taken'], { env })).err).toMatch(
      /^error: cannot write to taken: there is a file of that name\n/,
    );
  });

  it('keeps profiles in a file for its owner only, and no tokens in it', async () => {
    const own = { XDG_CONFIG_HOME: join(cwd, 'profiles') };
    expect(await svcctl(['config', 'current'], { env: own })).toMatchObject({
      code: 1,
      err: expect.stringContaining('no profile is current'),
    });
    expect(
      (await svcctl(['config', 'set-profile', 'here', '--server', server.url, '-n', 'team', '--token-env', 'HERE_TOKEN'], { env: own }))
        .out,
    ).toBe('profile here created\n');
    expect((await svcctl(['config', 'set-profile', 'bad', '--token', 'x'], { env: own })).code).toBe(2);
    expect((await svcctl(['config', 'set-profile', 'bad', '--server', 'nowhere'], { env: own })).code).toBe(2);
    expect((await stat(join(cwd, 'profiles/svcctl/config.yaml'))).mode & 0o777).toBe(0o600);
    expect((await svcctl(['config', 'list'], { env: own })).out).toMatch(/here +yes +http:\/\/\S+ +team +HERE_TOKEN/);
    expect((await svcctl(['config', 'use-profile', 'nope'], { env: own })).code).toBe(2);
    expect((await svcctl(['config', 'current'], { env: own })).out).toBe('here\n');
    expect((await svcctl(['config', 'current'], { env: { ...own, SVCCTL_PROFILE: 'nope' } })).err).toContain('there is no profile "nope"');
  });
});

describe('tokens', () => {
  it('are made, shown once, used, listed without their value and revoked', async () => {
    const guarded = await startTestServer([], { SVC_API_TOKEN: 'root-token' });
    try {
      const env = { SVCCTL_SERVER: guarded.url, SVC_API_TOKEN: 'root-token' };
      expect(await svcctl(['get', 'agents'], { env: { SVCCTL_SERVER: guarded.url } })).toMatchObject({
        code: 4,
        err: expect.stringContaining('hint: set SVC_API_TOKEN'),
      });
      const { out } = await svcctl(['tokens', 'create', 'ci', '--role', 'reader'], { env });
      const token = out.trim();
      const asReader = { SVCCTL_SERVER: guarded.url, SVCCTL_API_TOKEN: token };
      expect((await svcctl(['get', 'agents'], { env: asReader })).code).toBe(0);
      expect((await svcctl(['apply', '-f', '-'], { env: asReader, stdin: agent('a') })).code).toBe(4);
      const listed = await svcctl(['tokens', 'list'], { env });
      expect(listed.out).toMatch(/^ci +reader/m);
      expect(listed.out).not.toContain(token);
      expect((await svcctl(['tokens', 'delete', 'ci'], { env })).code).toBe(0);
      expect((await svcctl(['get', 'agents'], { env: asReader })).code).toBe(4);
    } finally {
      await guarded.stop();
    }
  });
});

describe('completion', () => {
  // svcctl waits less than a second for names from the server: on a busy machine it offers none.
  const complete = async (...words: string[]) => (await svcctl(['__complete', '--', ...words])).out.trim().split('\n');

  it('offers commands, kinds, flags, formats and the names on the server', async () => {
    const n = freshNamespace();
    await svcctl(['apply', '-n', n, '-f', blueprint('single-agent')]);
    const tool =
      'kind: Tool\nmetadata: { name: shelf--look, labels: { svc.dev/mcp-server: shelf } }\nspec: { endpoint: https://shelf.example }\n';
    await svcctl(['apply', '-n', n, '-f', '-'], { stdin: tool });
    await expect.poll(() => complete('appl')).toEqual(['apply']);
    await expect.poll(() => complete('get', 'model')).toEqual(['model-endpoints', 'model-endpoint/']);
    await expect.poll(() => complete('-n', n, 'get', 'agents', '')).toEqual(['assistant']);
    await expect.poll(() => complete('get', '-n', n, 'agent/')).toEqual(['agent/assistant']);
    await expect.poll(() => complete('run', '-n', n, '--label', 'a=b', 's')).toEqual(['single-agent']);
    await expect.poll(() => complete('get', 'agents', '-o', 'y')).toEqual(['yaml']);
    await expect.poll(() => complete('delete', '--ign')).toEqual(['--ignore-not-found']);
    await expect.poll(() => complete('approve', '-n', n, '')).toEqual(['']);
    await expect.poll(() => complete('apply', '-f', 'x')).toEqual([':files']);
    await expect.poll(() => complete('users', 'reset-password', 'ann', '--password-file', '')).toEqual([':files']);
    await expect.poll(() => complete('validate', '')).toEqual([':files']);
    await expect.poll(() => complete('edit', '-n', n, 'agent/')).toEqual(['agent/assistant']);
    await expect.poll(() => complete('label', '-n', n, 'agents', '')).toEqual(['assistant']);
    await expect.poll(() => complete('patch', 'agent/a', '--patch-file', '')).toEqual([':files']);
    await expect.poll(() => complete('get', 'agents', '-o', 'j')).toEqual(['json', 'jsonpath=']);
    await expect.poll(() => complete('get', 'agents', '-o=j')).toEqual(['-o=json', '-o=jsonpath=']);
    await expect.poll(() => complete('wait', 'task/a', '--for=ph')).toEqual(['--for=phase=']);
    await expect.poll(() => complete('apply', '--filename=x')).toEqual([':files']);
    await expect.poll(() => complete('get', 'agents,to')).toEqual(['agents,tools', 'agents,tool-permissions', 'agents,tool-approvals']);
    await expect.poll(() => complete('events', '-n', n, '--for', 'agent/')).toEqual(['agent/assistant']);
    await expect.poll(() => complete('wait', 'task/a', '--for', 'j')).toEqual(['jsonpath=']);
    await expect.poll(() => complete('logs', '-f', 't')).toEqual(['task/']);
    await expect.poll(() => complete('ev')).toEqual(['events']);
    await expect.poll(() => complete('get', 'tasks', '-n', n, '--sort', '')).toEqual(['']);
    await expect.poll(() => complete('init', 'pip')).toEqual(['pipeline']);
    await expect.poll(() => complete('bundle', 'export', '-n', n, '')).toEqual(['single-agent']);
    await expect.poll(() => complete('explain', 'agent.spec.lim')).toEqual(['agent.spec.limits']);
    await expect.poll(() => complete('explain', 'agent.')).toEqual(['agent.spec', 'agent.status']);
    await expect.poll(() => complete('mcp', 'call', '-n', n, 'shelf', '')).toEqual(['shelf--look']);
  });

  it('is silent when the server does not answer', async () => {
    expect(await svcctl(['__complete', '--', 'get', 'agents', ''], { env: { SVCCTL_SERVER: 'http://127.0.0.1:1' } })).toEqual({
      code: 0,
      out: '',
      err: '',
    });
  });
});
