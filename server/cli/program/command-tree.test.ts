// The whole tree of commands: options that no command redefines, help that fits a terminal, and suggestions for mistyped words.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atFileEnd } from '../../testing/file-end.ts';
import { startFakeApi, type FakeApi } from '../../testing/fake-api.ts';
import { startSvcctl } from '../../testing/run-svcctl.ts';
import { describeProgram, parseLine, type CommandDescription, type OptionDescription } from './describe-commands.ts';
import { EXAMPLES } from './examples.ts';
import { textWidth } from '../output/text-width.ts';

const COLUMNS = 80;
const world = { cwd: '/', env: { SVCCTL_SERVER: 'http://127.0.0.1:1' } };
const svcctl = (...argv: string[]) => startSvcctl(argv, world, { columns: COLUMNS }).done;

interface Level {
  readonly path: readonly string[];
  readonly options: readonly OptionDescription[];
  /** Options of the levels above. */
  readonly above: readonly OptionDescription[];
}

function levelsOf(command: CommandDescription, path: readonly string[], above: readonly OptionDescription[]): Level[] {
  const here = [...path, command.name];
  return [
    { path: here, options: command.options, above },
    ...command.subcommands.flatMap((sub) => levelsOf(sub, here, [...above, ...command.options])),
  ];
}

async function allLevels(): Promise<Level[]> {
  const { groups, globalOptions } = await describeProgram();
  return [...groups.values()].flat().flatMap((command) => levelsOf(command, [], globalOptions));
}

const flagsIn = (options: readonly OptionDescription[]): string[] =>
  options.flatMap(({ flags }) => flags.match(/(?<![\w-])--?[\w-]+/g) ?? []);

describe('the tree of commands', () => {
  it('defines no option that a level above has', async () => {
    const levels = await allLevels();
    expect(levels.length).toBeGreaterThan(35);
    const shadows = levels.flatMap(({ path, options, above }) => {
      const taken = new Set([...flagsIn(above), '-h', '--help', '--version']);
      return flagsIn(options)
        .filter((flag) => taken.has(flag))
        .map((flag) => `${path.join(' ')} ${flag}`);
    });
    expect(shadows).toEqual([]);
  });

  it('prints every help page within 80 columns', async () => {
    for (const path of [[], ...(await allLevels()).map((level) => level.path)]) {
      const { out, code } = await svcctl(...path, '--help');
      const wide = out.split('\n').filter((line) => textWidth(line) > COLUMNS);
      expect.soft({ path, code, wide }).toEqual({ path, code: 0, wide: [] });
    }
  });
});

/** Words of a command line as a shell splits it; a redirection ends them. */
const shellWords = (line: string): string[] =>
  (line.split(/ [<>] /)[0] ?? '').match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)?.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2')) ?? [];

describe('examples', () => {
  it('appear in the help of every command, of every group and of the program', async () => {
    const paths = (await allLevels()).map(({ path }) => path.join(' '));
    expect(Object.keys(EXAMPLES).sort()).toEqual(['', ...paths].sort());
    for (const [path, examples] of Object.entries(EXAMPLES)) {
      const { out } = await svcctl(...path.split(' ').filter(Boolean), '--help');
      expect(examples.length).toBeGreaterThan(0);
      for (const example of examples) expect(out).toContain(`  npx svcctl ${example}\n`);
    }
  });

  it.each(Object.entries(EXAMPLES).flatMap(([path, examples]) => examples.map((example) => [example, path])))(
    '%s is a valid line below "%s"',
    async (example, path) => {
      const reached = await parseLine(shellWords(example));
      expect(example).toMatch(new RegExp(`^${reached}(?: |$)`));
      const below = Object.keys(EXAMPLES).filter((each) => path === '' || each === path || each.startsWith(`${path} `));
      expect(below).toContain(reached);
    },
  );
});

describe('a format that the command does not print', () => {
  it('is refused before anything is read or sent', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svcctl-formats-'));
    atFileEnd(() => rm(folder, { recursive: true }));
    const where = { cwd: folder, env: { ...world.env, XDG_CONFIG_HOME: folder } };
    const others: string[] = [];
    for (const example of new Set(Object.values(EXAMPLES).flat())) {
      const words = shellWords(example);
      // The one command that prints this format.
      if ((await parseLine(words)) === 'auth can-i') continue;
      const { code, out, err } = await startSvcctl([...words, '-o', 'text'], where, { columns: COLUMNS }).done;
      if (code !== 2 || out !== '' || !err.includes('this command cannot print "text"')) others.push(`${example}: ${err}`);
    }
    expect(others).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('mistyped words', () => {
  it.each([
    [['agents'], 'unknown command \'agents\'; did you mean "get agents"?'],
    [['agnts'], 'did you mean "get agents"?'],
    [['task/report'], 'did you mean "get task/report"?'],
    [['create'], 'did you mean "apply -f FILE"?'],
    [['craete'], 'did you mean "apply -f FILE"?'],
    [['ls'], 'did you mean "get KIND"?'],
    [['show'], 'did you mean "describe KIND/NAME"?'],
    [['edti'], 'did you mean "edit"?'],
    [['tag'], 'did you mean "label KIND/NAME KEY=VALUE"?'],
    [['aply'], 'did you mean "apply"?'],
    [['approvals', 'ls'], 'did you mean "approvals list"?'],
    [['approvals', 'aprove'], 'did you mean "approve"?'],
    [['config', 'current-context'], 'did you mean "config current"?'],
    [['config', 'constructor'], "unknown command 'constructor'"],
    [['config', 'use', 'x'], 'did you mean "use-profile"?'],
    [['get', 'agents', '--lmit', '3'], 'unknown option \'--lmit\'; did you mean "--limit"?'],
    [['get', 'agents', '--namspace', 'x'], 'did you mean "--namespace"?'],
    [['apply', '--filname', 'x'], 'unknown option \'--filname\'; did you mean "--filename"?'],
    [['restore', 'agent/a', '--too', '1'], 'unknown option \'--too\'; did you mean "--to"?'],
    [['restore', 'agent/a'], "required option '--to <number>' not specified"],
    [['approve', 'x', '--input', 'y'], 'did you mean "--input-file"?'],
    [['apply', '-f', 'x', '--dry-run=server'], "option '--dry-run' takes no value"],
    [['get', 'agents', '--lmit=3'], 'did you mean "--limit"?'],
    [['config', 'set-context', 'x'], 'did you mean "config set-profile"?'],
    [['get', 'agnt'], 'did you mean "agent"?'],
    [['get', 'events'], 'did you mean "npx svcctl events"?'],
    [['get', 'approval'], 'did you mean "npx svcctl approvals list"?'],
    [['explain', 'task/report'], 'for an object: "npx svcctl describe task/report"'],
    [['explain', 'agent.spec.promt'], 'did you mean "prompt"?'],
    [['explain', 'agent.promt'], 'did you mean "prompt"?'],
    [['explain', 'agent.limits.max_step'], 'did you mean "max_steps"?'],
    [['explain', 'agent.spce'], 'did you mean "spec"?'],
    [['init', 'pipelin'], 'did you mean "pipeline"?'],
  ])('svcctl %j suggests what was meant', async (argv, suggestion) => {
    const { code, err } = await svcctl(...argv);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(suggestion) as string });
  });
});

describe('a short option with "="', () => {
  const seen: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    seen.push(new URL(request.url ?? '', 'http://a').searchParams);
    response.setHeader('content-type', 'application/json').end('{"items":[]}');
  });
  beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => server.close());

  it.each([
    ['a format and a namespace', ['-n=team', 'get', 'tasks', '-o=name'], { namespace: 'team' }],
    ['a selector', ['get', 'tasks', '-l=a=b', '-n=team'], { namespace: 'team', labelSelector: 'a=b' }],
    ['nothing behind it', ['-n=', 'get', 'tasks'], { namespace: '' }],
    ['a value of a long option as it is', ['get', 'tasks', '--selector', '-l=a'], { labelSelector: '-l=a' }],
  ])('reads %s', async (_what, argv, query) => {
    const { port } = server.address() as AddressInfo;
    const where = { cwd: '/', env: { SVCCTL_SERVER: `http://127.0.0.1:${port}` } };
    expect((await startSvcctl(argv, where, {}).done).code).toBe(0);
    expect(Object.fromEntries(seen.pop() ?? [])).toMatchObject(query);
  });

  it('is an operand behind --', async () => {
    expect((await svcctl('memory', 'get', 'notes', '--', '-o=nonsense')).code).toBe(3);
    expect((await svcctl('memory', 'get', 'notes', '-o=nonsense')).code).toBe(2);
  });
});

describe('warnings of the server', () => {
  let api: FakeApi;
  beforeAll(async () => {
    api = await startFakeApi((what) => (what === 'warning' ? 'something was changed' : 'x'));
  });
  afterAll(() => api.stop());

  it.each([
    ['apply', ['apply', '-f', '-']],
    ['delete', ['delete', 'agent/a']],
    ['approve', ['approve', 'tool-approval/a']],
    ['cancel', ['cancel', 'a', 'b']],
    ['retry', ['retry', 'a']],
    ['run', ['run', 'a', '-d']],
    ['tokens', ['tokens', 'create', 'a', '--role', 'reader']],
  ])('appear once on stderr of %s', async (_what, argv) => {
    const stdin = 'apiVersion: svc.dev/v1\nkind: Agent\nmetadata: { name: a }\nspec: { model_ref: m }\n';
    const { err } = await startSvcctl(argv, { cwd: '/', env: { SVCCTL_SERVER: api.url } }, { stdin }).done;
    expect(err.match(/warning: .*/g)).toEqual(['warning: something was changed']);
  });
});
