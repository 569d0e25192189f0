// Every command and view of svcctl with hostile text in every field, argument, file and error: nothing of it acts on a terminal or hides.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { startFakeApi, type FakeApi } from '../../testing/fake-api.ts';
import { startSvcctl, type CliOptions } from '../../testing/run-svcctl.ts';
import { describeProgram, type CommandDescription } from '../program/describe-commands.ts';

const PIECES = [
  '\u001b[35mx',
  '\u001b]0;t\u0007',
  '\r\b\v\f\u0000',
  '\u007f\u0085\u009b35m\u009f',
  '\u202a\u202e\u2066\u2069\u200e\u200f\u061c',
];
const HOSTILE = `pay${PIECES.join('a')}b\u2028c\u2029d\u200be\ufefff\u00adg\u2060h\u{e0041}i\ufff9j\u200dk`;
const SAFE_NAME = 'hostile';

const ESCAPE = '\u001b';
/** Sequences of our own: styles, the erasure of text that was withdrawn, and readline's prompt. The hostile text uses others. */
const OWN = new RegExp(`${ESCAPE}\\[(?:(?:1|2|22|31|32|33|36|39)m|0J|\\d+G)|\\r(?:${ESCAPE}\\[\\d+A)?${ESCAPE}\\[J|\\r(?=\\n)`, 'g');
const FORBIDDEN =
  /[^\P{Cc}\n\t]|[\u061c\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|[a-z]\u200d/u;

let api: FakeApi;
let cwd: string;
beforeAll(async () => {
  api = await startFakeApi(() => HOSTILE);
  cwd = await mkdtemp(join(tmpdir(), 'svcctl-hostile-'));
  const files = 'dir\u202e\u001b[35m';
  await mkdir(join(cwd, files));
  await writeFile(join(cwd, files, 'a\u009b.yaml'), `kind: Agnt\u202e\n"${HOSTILE_KEY}": "\\u202e"\nmetadata: { name: "\\e[35m" }\n`);
  await writeFile(join(cwd, 'broken.yaml'), `a: [\u202e\nb: "\u009b\n`);
  await writeFile(join(cwd, 'agent.yaml'), 'apiVersion: svc.dev/v1\nkind: Agent\nmetadata: { name: a }\nspec: { model_ref: m }\n');
  await writeFile(
    join(cwd, 'hostile.json'),
    JSON.stringify({ apiVersion: 'svc.dev/v1', kind: 'Agent', metadata: { name: HOSTILE, namespace: HOSTILE }, spec: { model_ref: 'm' } }),
  );
  // Texts that an editor left and that could not be used are kept there.
  vi.stubEnv('TMPDIR', cwd);
  await writeFile(join(cwd, 'task.yaml'), 'apiVersion: svc.dev/v1\nkind: Task\nmetadata: { name: a }\nspec: { system: m }\n');
  await writeFile(
    join(cwd, 'experiment.yaml'),
    'apiVersion: svc.dev/v1\nkind: Experiment\nmetadata: { name: a }\nspec: { system: m, cases: [{ name: c }] }\n',
  );
  await writeFile(join(cwd, 'bad-record.jsonl'), `${HOSTILE}\n`);
  await writeFile(join(cwd, 'entries.jsonl'), `${JSON.stringify({ key: HOSTILE, value: HOSTILE })}\n`);
  await mkdir(join(cwd, 'svcctl'));
  await writeFile(join(cwd, 'svcctl/config.yaml'), JSON.stringify({ profiles: { [HOSTILE]: { namespace: 'a' } } }));
});
afterAll(async () => {
  await api.stop();
  await rm(cwd, { recursive: true });
});

/** Adds a field to the spec, which ends the text. */
const EDITOR_LINE = "sed -i '$a\\  extra: 1'";
const HOSTILE_KEY = 'key\\u202e\\e[35m';
const X = HOSTILE;
const RANGE = ['--from', '2026-01-05', '--to', '2026-01-06'];
const FILES = ['-f', 'dir\u202e\u001b[35m', '-f', 'broken.yaml'];

/** Command lines of each command, as answered by a server that answers, and by one that refuses. */
const LINES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  apply: [['-f', 'agent.yaml'], ['-f', 'agent.yaml', '-o', 'json'], ['--run', '-f', 'task.yaml'], FILES, ['-f', X], ['-f', `https://${X}`]],
  diff: [['-f', 'hostile.json'], ['-f', 'agent.yaml'], FILES, ['-f', X]],
  validate: [FILES, ['-o', 'json', ...FILES], [X]],
  seal: [
    [X, '--from-literal', 'a=b'],
    ['a', '--from-literal', X],
    ['a', '--from-literal', 'a=b'],
    ['a', '--from-file', `a=${X}`],
    ['--show-key'],
    ['a', '--from-literal', 'a=b', '--key', 'hostile.json'],
    FILES,
    ['-f', 'agent.yaml'],
  ],
  init: [[X], [], ['pipeline', `${join('x', X)}`]],
  explain: [[X], [`agent.${X}`], ['agent']],
  'api-resources': [[], ['-o', X], [X]],
  history: [
    ['agent', SAFE_NAME],
    ['agent', SAFE_NAME, '-o', 'json'],
    ['agent', SAFE_NAME, '--show', '1'],
    ['agent', SAFE_NAME, '--diff', '1'],
    ['agent', SAFE_NAME, '--show', X],
    ['agent', X],
    [X, X],
  ],
  restore: [
    ['agent', SAFE_NAME, '--to', '1', '--dry-run'],
    ['agent', SAFE_NAME, '--to', '1'],
    ['agent', SAFE_NAME, '--to', X],
    ['agent', X, '--to', '1'],
    [X, X, '--to', '1'],
  ],
  get: [
    ...['tasks', 'agents', 'tools', 'tool-approvals', 'task-approvals', 'workers', 'sessions', 'secrets'].flatMap((kind) =>
      [[], ['-A'], ['-o', 'wide'], ['-o', 'json'], ['-o', 'yaml'], ['-o', 'name']].map((rest) => [kind, ...rest]),
    ),
    ['all'],
    ['agents,tools', '--show-labels'],
    ['agents', '-o', 'jsonpath={.items[*]}'],
    ['agents', '-o', 'jsonpath={..prompt}'],
    ['agents', '-o', 'custom-columns=A:.spec.prompt,B:.metadata'],
    ['agents', '-o', `custom-columns=${X}:.spec.prompt`],
    ['agents', '-o', `custom-columns=${X}`],
    ['agents', '-o', `jsonpath={${X}}`],
    ['agents', '-o', `jsonpath=${X}{.items[0].spec.prompt}`],
    ['agents', '-o', `jsonpath={"${X}"}`],
    ['agents', '--sort-by', X],
    ['tasks', '--search', X],
    ['tasks', '--search', 'pay'],
    ['task/a', '--search', X],
    ['tasks', '-w', '--search', X],
    ['agents', '--sort-by', '.spec.prompt'],
    ['agents', X],
    [`agents,${X}`],
    [X],
    [`agent/${X}/x`],
    ['agents', '--limit', X],
    ['agents', `--${X}`],
    ['agents', '--server', X],
    ['agents', '--profile', X],
    ['agents', '--token', X],
  ],
  namespaces: [[], ['-o', 'json'], ['-o', 'name'], ['-o', X], [X]],
  describe: [['task', 'a'], ['agents'], ['tool-approval/a'], ['worker/a']],
  edit: [['agent/a'], ['agent', X], [X], ['agent/a', '-o', 'yaml']],
  patch: [
    ['agent/a', '-p', '{"spec":{"prompt":"x"}}'],
    ['agent/a', '-p', '{"spec":{"prompt":"x"}}', '-o', 'yaml'],
    ['agent/a', '-p', '{"spec":{"prompt":"x"}}', '-o', 'json', '--dry-run'],
    ['agent/a', '-p', X],
    ['agent/a', '--patch-file', X],
    ['agent/a', '--type', 'json', '-p', JSON.stringify([{ op: X, path: '' }])],
    ['agent/a', '--type', 'json', '-p', JSON.stringify([{ op: 'remove', path: `/spec/${X}` }])],
    ['agent/a', '--type', 'json', '-p', JSON.stringify([{ op: 'test', path: '/spec', value: X }])],
    ['agent/a', '--type', X],
    ['agent', X, '-p', '{}'],
  ],
  label: [
    ['agent/a', `k=${X}`],
    ['agent/a', `${X}=v`],
    ['agents', '--all', 'k=v'],
    ['agents', '-l', X, 'k-'],
    ['agent', X, 'k=v'],
    [X, 'k=v'],
  ],
  annotate: [
    ['agent/a', `k=${X}`],
    ['agent/a', `${X}=v`, '-o', 'yaml'],
    ['agents', '--all', `${X}=v`, '-A'],
    ['agent/a', `${X}-`],
  ],
  events: [[], ['-A'], ['-o', 'wide'], ['-o', 'json'], ['-o', 'yaml'], ['-o', 'jsonpath={.items[*].message}'], ['--type', X], ['--for', X]],
  delete: [['agent', X], ['agents', '--all', '--yes'], ['-f', 'agent.yaml'], ['-f', 'broken.yaml'], [X]],
  wait: [
    ['task', X, '--timeout', '200ms'],
    ['task/a', '--for', 'phase=Succeeded'],
    ['task/a', '--for', X],
    ['task/a', '--for', `phase=${X}`],
    ['task/a', '--for', `jsonpath={.status.reason}=${X}`],
    ['task/a', '--for', `jsonpath={${X}}=a`],
    ['task/a', '--for', 'jsonpath=.status.reason'],
    ['tasks', '-l', X, '--timeout', '200ms'],
    ['tasks', '--all', '--timeout', '200ms'],
  ],
  run: [
    [X],
    ['a', '--pin', X],
    ['a', '--only', `a=${X}`],
    ['a', '--break-before', X],
    ['a', '--trial-wait', X],
    ['a', '--label', X],
    ['a', '--timeout', X],
    ['a', '--agent-version', X],
    ['a', '--agent-prompt', `a=@${X}`],
    ['a'],
    ['a', '-q'],
    ['a', '-o', 'yaml'],
    ['a', '-d'],
    ['a', '-i', X],
    ['a', '--input-file', X],
    ['-f', 'task.yaml'],
  ],
  trace: [['a'], ['a', '-o', 'wide'], ['a', '-o', 'json']],
  logs: [
    ['a'],
    ['-f', 'a'],
    ['agent/a'],
    [X],
    ['a', '--tail', '1'],
    ['a', '--since', X],
    ['-l', X],
    ['-l', 'a=b', '--tail', X],
    ['-l', 'a=b', '-A'],
  ],
  messages: [['a'], ['a', '-o', 'wide'], ['a', '-o', 'json'], ['a', '--phase', X]],
  cancel: [[X, '--reason', X]],
  continue: [
    [X, '--at', X],
    ['a', '--edit-input', `@${X}`],
    ['a', '--edit-output', X],
    ['a', '--end', '--reason', X],
  ],
  retry: [['a'], ['a', '--follow'], ['a', '-i', X], ['a', '--to-namespace', X], ['a', '--system-generation', X]],
  'approvals list': [[], ['--all'], ['-A'], ['-o', 'wide'], ['-o', 'json'], ['-o', 'yaml'], ['-o', 'name'], ['--kind', X]],
  'approvals show': [['tool-approval/a'], ['task-approval/a'], ['tool-approval/a', '-o', 'yaml'], [X], ['a']],
  'approvals approve': [['tool-approval/a'], [X]],
  'approvals deny': [['tool-approval/a'], [X]],
  'approvals request-changes': [['a', '--comment', X]],
  approve: [['tool-approval/a'], ['tool-approval/a', '--input-json', X], ['tool-approval/a', '--outcome', X], ['a']],
  deny: [['tool-approval/a', '-o', 'json'], [`${X}/a`]],
  'decisions list': [[], ['-o', 'wide'], ['-o', 'json'], ['-o', 'yaml'], ['--type', X]],
  'decisions show': [['1'], ['1', '-o', 'yaml'], [X]],
  'decisions export': [[]],
  'decisions key': [[], ['-o', 'json']],
  'decisions verify': [[], ['-f', 'bad-record.jsonl'], ['-f', X], ['--public-key', X], ['--head', X]],
  chat: [
    [X],
    ['session/a', '--resume'],
    ['agent-system/a', '--name', X],
    ['agent-system/a', '-q'],
    ['session/a'],
    ['session/a', '--lines'],
  ],
  'sessions turns': [['a'], ['a', '-o', 'wide'], ['a', '-o', 'json'], ['a', '-o', 'yaml'], [X]],
  'sessions send': [
    ['a', X],
    ['a', 'b', '--wait'],
    ['a', 'b', '-o', 'yaml'],
    ['a', 'b', '--wait', '-o', 'json'],
    ['a', 'b', '--key', 'c'],
  ],
  'sessions events': [['a'], ['a', '-o', 'wide'], ['a', '-o', 'json'], ['a', '-f', '--limit', '5'], ['a', '--after', X]],
  'sessions pause': [['a'], [X], ['a', '-o', 'yaml']],
  'sessions resume': [['a'], ['a', '-o', 'name']],
  'sessions interrupt': [['a'], [X]],
  'sessions cancel': [['a', '--reason', X]],
  'sessions complete': [['a'], ['a', '-o', 'json']],
  'sessions checkpoints': [['a'], ['a', 'latest'], ['a', '-o', 'wide'], ['a', X], ['a', '7'], ['a', 'c', '-o', 'yaml']],
  'sessions replay': [
    ['a', 'c'],
    ['a', 'c', '-o', 'json'],
    ['a', X],
  ],
  'sessions diff': [
    ['a', 'c', 'd'],
    ['a', 'c', 'latest', '--session', 'b'],
    ['a', 'c', 'd', '-o', 'yaml'],
    ['a', 'c', X],
    ['a', 'c', 'd', '--session', X],
  ],
  'sessions rewind': [
    ['a', 'c'],
    ['a', 'latest'],
    ['a', X],
  ],
  'sessions fork': [
    ['a', 'c'],
    ['a', 'c', '--agent-model', X],
    ['a', 'c', '-o', 'yaml'],
  ],
  'webhook send': [
    ['a', '--secret-file', 'agent.yaml'],
    ['a', '--secret-file', 'agent.yaml', '-o', 'yaml'],
    ['a', '--secret-file', X],
    ['a', '--secret-file', 'agent.yaml', '--header', X],
    [X, '--secret-file', 'agent.yaml'],
  ],
  'webhook deliveries': [['a'], ['a', '-o', 'wide'], ['a', '-o', 'json'], ['a', '-o', 'yaml'], [X]],
  'webhook redeliver': [
    ['a', '1'],
    ['a', '1', '-o', 'json'],
    ['a', X],
  ],
  'experiment run': [
    ['-f', 'experiment.yaml', '--yes'],
    ['-f', 'experiment.yaml', '--dry-run'],
    ['-f', 'agent.yaml'],
    ['-f', X],
    ['-f', 'experiment.yaml', '--name', X],
  ],
  'experiment get': [['a'], ['a', '-o', 'wide'], ['a', '-o', 'json'], ['a', '-o', 'yaml'], [X]],
  'experiment results': [['a'], ['a', '-o', 'wide'], ['a', '-o', 'json'], ['a', '--case', X], ['a', '--failed'], ['a', '--down'], [X]],
  'experiment rate': [
    ['a', '1', 'up'],
    ['a', '1', 'up', '--note', X, '-o', 'yaml'],
    ['a', X, 'up'],
    ['a', '1', X],
    [X, '1', 'up'],
  ],
  'experiment cancel': [['a'], ['a', '--reason', X], [X]],
  'experiment export': [['a'], ['a', '--format', 'json'], ['a', '--format', X], [X]],
  'schedule list': [[], ['-A'], ['-o', 'wide'], ['-o', 'json'], ['-o', 'yaml']],
  'schedule preview': [['a'], ['a', '-o', 'yaml'], [X], ['a', '--count', X], ['--cron', X], ['--cron', '* * * * *', '--time-zone', X]],
  'schedule history': [['a'], ['a', '-o', 'wide'], ['a', '-o', 'yaml'], [X]],
  'schedule trigger': [['a'], ['a', '-o', 'json'], [X]],
  'schedule backfill': [['a'], ['a', ...RANGE], [X, ...RANGE, '--dry-run', '-o', 'yaml'], ['a', '--from', X, '--to', X]],
  'schedule suspend': [['a'], ['a', '--reason', X], [X]],
  'schedule resume': [['a'], [X]],
  'worker suspend': [['a'], ['a', '--reason', X], [X]],
  'worker resume': [['a'], [X]],
  export: [[], ['--all', '--file', join('out', X)]],
  'bundle export': [['a'], ['a', '--file', join('out', X)], [X]],
  'bundle verify': [['agent.yaml'], ['broken.yaml'], ['hostile.json'], ['agent.yaml', '--signer', X], [X]],
  'bundle import': [['agent.yaml'], ['hostile.json', '--secret', X], ['agent.yaml', '--signer', X, '--yes'], [X]],
  'a2a card': [['a'], ['a', '-o', 'json'], ['a', '-o', 'yaml'], ['a', '--keys', 'hostile.json'], [X]],
  'a2a send': [
    ['a', 'hello'],
    ['a', X],
    ['a', 'hello', '--data', X],
    [X, 'hello'],
  ],
  'a2a test': [['a'], ['a', '-o', 'json'], [X]],
  'mcp tools': [['a'], ['a', '-o', 'wide'], ['a', '-o', 'json'], ['a', '-o', 'yaml'], [X]],
  'mcp call': [
    ['a', X],
    [X, 'b'],
    ['a', 'b', '-i', X],
    ['a', X, '-i', `a=${X}`],
    ['a', 'b', '--input-file', X],
  ],
  'mcp logs': [['a'], ['a', '-o', 'json'], [X]],
  'memory list': [['a'], ['a', '-o', 'wide'], ['a', '-o', 'json'], ['a', '-o', 'yaml'], ['a', '--limit', X], [X]],
  'memory search': [
    ['a', X],
    ['a', 'b', '-o', 'wide'],
    ['a', 'b', '-o', 'json'],
    [X, 'b'],
  ],
  'memory get': [
    ['a', X],
    ['a', X, '-o', 'yaml'],
    [X, 'b'],
  ],
  'memory put': [
    ['a', X, X],
    ['a', X, 'b', '-o', 'json'],
    ['a', 'b', '--value-file', X],
  ],
  'memory delete': [
    ['a', X],
    [X, 'b'],
  ],
  'memory import': [
    ['a', '-f', 'bad-record.jsonl'],
    ['a', '-f', 'entries.jsonl'],
    ['a', '-f', X],
    ['a', '--from-line', X],
  ],
  'memory ingest': [
    ['a', '-f', 'agent.yaml', '--source', X],
    ['a', '-f', X],
    [X, '-f', 'agent.yaml'],
  ],
  'memory export': [['a'], ['a', '--after', X], [X]],
  'config set-profile': [[X], ['a', '--token-env', X], ['a', '--server', X]],
  'config use-profile': [[X]],
  'config delete-profile': [[X]],
  'config list': [[], ['-o', 'json'], ['-o', 'name']],
  'config current': [[]],
  'config view': [[]],
  'auth can-i': [
    [X, X],
    ['a', 'b', '-o', 'json'],
    ['a', 'b', '-o', 'yaml'],
    ['a', 'b', '--operation', X],
  ],
  'auth whoami': [[], ['-o', 'json'], ['-o', 'yaml']],
  'tokens create': [
    [X, '--role', 'reader'],
    ['a', '--role', X],
  ],
  'tokens list': [[], ['-o', 'wide'], ['-o', 'json'], ['-o', 'name']],
  'tokens delete': [[X]],
  'users create': [
    [X, '--role', 'reader'],
    ['a', '--role', X],
  ],
  'users list': [[], ['-o', 'wide'], ['-o', 'json'], ['-o', 'name']],
  'users set-role': [
    [X, '--role', 'reader'],
    ['a', '--role', X],
  ],
  'users reset-password': [[X], ['a', '--password-file', X]],
  'users delete': [[X]],
  'users sign-ins': [[], [X], ['-o', 'wide'], ['-o', 'json'], ['-o', 'name']],
  'users end-sign-in': [[X]],
  'migrate-store': [
    ['--database-url', X],
    ['--data-dir', X, '--database-url', `postgres://h/${X}`],
  ],
  completion: [[X], ['bash']],
  version: [[], ['-o', 'json']],
};

const run = (argv: readonly string[], options: CliOptions = {}) =>
  startSvcctl(argv, { cwd, env: { SVCCTL_SERVER: api.url, EDITOR: EDITOR_LINE } }, options).done;

const leaves = (command: CommandDescription, prefix = ''): string[] =>
  command.subcommands.length === 0
    ? [`${prefix}${command.name}`]
    : command.subcommands.flatMap((sub) => leaves(sub, `${prefix}${command.name} `));

function foundIn(text: string): string | undefined {
  const at = text.replace(OWN, '').search(FORBIDDEN);
  return at < 0 ? undefined : JSON.stringify(text.replace(OWN, '').slice(Math.max(0, at - 40), at + 20));
}

describe('hostile text', () => {
  it('is tried on every command', async () => {
    const { groups } = await describeProgram();
    const commands = [...groups.values()].flat().flatMap((command) => leaves(command));
    expect(Object.keys(LINES).sort()).toEqual(commands.sort());
  });

  describe.each(Object.entries(LINES))('in the output of %s', (command, lines) => {
    it.each([
      ['a narrow terminal', { columns: 80 }],
      ['a wide terminal', { columns: 400 }],
      ['a pipe', {}],
    ])('reaches %s in visible form only', async (_what, options) => {
      for (const refusal of [undefined, 400, 404]) {
        api.refuse(refusal);
        for (const line of lines) {
          const { out, err } = await run([...command.split(' '), ...line], options);
          expect({ line, refusal, out: foundIn(out), err: foundIn(err) }).toEqual({ line, refusal });
        }
      }
      api.refuse(undefined);
    });
  });

  it.each([
    ['get', ['get', 'agents', '-w']],
    ['get as YAML', ['get', 'tasks', '-w', '-o', 'yaml']],
    ['approvals', ['approvals', 'list', '-w', '--all']],
    ['get by a JSONPath', ['get', 'tasks', '-w', '-o', 'jsonpath={.spec}']],
    ['get in custom columns', ['get', 'tasks', '-w', '-o', 'custom-columns=A:.spec.prompt']],
    ['events', ['events', '-w']],
    ['events as JSON', ['events', '-w', '-o', 'json']],
  ])('reaches a watch of %s in visible form only', async (_what, argv) => {
    const watch = startSvcctl(argv, { cwd, env: { SVCCTL_SERVER: api.url } }, { columns: 80 });
    await watch.prints('\\u001b');
    watch.interrupt();
    const { out, err } = await watch.done;
    expect([foundIn(out), foundIn(err)]).toEqual([undefined, undefined]);
  });

  it('reaches a conversation at a terminal in visible form only', async () => {
    const world = { cwd, env: { SVCCTL_SERVER: api.url } };
    const chat = startSvcctl(['chat', 'session/a'], world, { columns: 80, tty: true });
    await chat.prints('/help lists commands');
    chat.type('hello\r');
    await chat.prints('retrying');
    chat.type('/turns\r');
    await chat.prints('MESSAGE');
    chat.type('\u0004');
    const { out, err } = await chat.done;
    expect([foundIn(out), foundIn(err)]).toEqual([undefined, undefined]);
  });

  it.each([
    ['an unknown command', [X]],
    ['help on an unknown command', ['help', X]],
    ['an unknown flag', [`--${X}`]],
    ['a missing argument', ['get']],
    ['completion', ['__complete', '--', 'get', 'agents', '']],
  ])('reaches the terminal in visible form only from %s', async (_what, argv) => {
    const { out, err } = await run(argv, { columns: 80 });
    expect([foundIn(out), foundIn(err)]).toEqual([undefined, undefined]);
  });
});

describe('data formats', () => {
  it.each([
    ['a pipe', {}],
    ['a terminal', { columns: 80 }],
  ])('give %s the exact value as JSON and as YAML', async (_what, options) => {
    const { out: json } = await run(['get', 'agent', SAFE_NAME, '-o', 'json'], options);
    const value = JSON.parse(json) as { spec: { prompt: string } };
    expect(value.spec.prompt).toBe(HOSTILE);
    expect(parse((await run(['get', 'agent', SAFE_NAME, '-o', 'yaml'], options)).out)).toEqual(withoutVersion(value));
    const documents = parseAllDocuments((await run(['get', 'agents', '-o', 'yaml'], options)).out);
    expect(documents.map((document) => (document.toJS() as typeof value).spec.prompt)).toEqual([HOSTILE]);
    expect(JSON.parse((await run(['trace', 'a', '-o', 'json'], options)).out)).toContainEqual(
      expect.objectContaining({ message: HOSTILE }),
    );
  });
});

function withoutVersion(value: object): object {
  const copy = structuredClone(value) as { metadata: Record<string, unknown> };
  delete copy.metadata['resourceVersion'];
  return copy;
}
