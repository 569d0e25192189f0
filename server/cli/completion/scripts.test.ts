// The scripts in real shells, with a function in place of svcctl that prints fixed candidates.
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { SCRIPTS } from './scripts.ts';

/** Replies of the script, each for the text behind the last word break of the line. */
async function replies(line: string, candidates: readonly string[], wordBreaks = `" '><=;|&(:`): Promise<string[]> {
  const script = `
svcctl() { printf '%s\\n' "\${CANDIDATES[@]}"; }
CANDIDATES=(${candidates.map((candidate) => `'${candidate}'`).join(' ')})
${SCRIPTS.bash}
COMP_LINE="$1" COMP_POINT="\${#1}" COMP_WORDBREAKS="$2"
_svcctl
[[ \${#COMPREPLY[@]} -eq 0 ]] || printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)('bash', ['-c', script, 'bash', line, wordBreaks]);
  return stdout.split('\n').slice(0, -1);
}

describe('bash', () => {
  it('replies with whole words', async () => {
    expect(await replies('svcctl get ag', ['agents', 'agent/'])).toEqual(['agents', 'agent/']);
    expect(await replies('svcctl --server http://x:80 get agent/b', ['agent/bom'])).toEqual(['agent/bom']);
  });

  it('leaves out the part before a word break, which is on the line already', async () => {
    expect(await replies('svcctl get --output=j', ['--output=json', '--output=jsonpath='])).toEqual(['json', 'jsonpath=']);
    expect(await replies('svcctl run --from a:b', ['a:bc'])).toEqual(['bc']);
    expect(await replies('svcctl run --from a:b', ['a:bc'], ' =')).toEqual(['a:bc']);
    expect(await replies('svcctl get --output=j', ['--output=json'], ' ')).toEqual(['--output=json']);
  });

  it('adds nothing to a word that is complete up to its value', async () => {
    expect(await replies('svcctl wait task/a --for phase=', ['phase='])).toEqual([]);
  });

  it('leaves files to bash', async () => {
    expect(await replies('svcctl apply -f a', [':files'])).toEqual([]);
  });
});

const withoutZsh = spawnSync('zsh', ['--version']).status !== 0 && !process.env['CI'];
if (withoutZsh) process.stderr.write('SKIPPED completion in zsh: no zsh on this machine (apt-get install zsh)\n');

describe.skipIf(withoutZsh)('zsh', () => {
  /** Arguments of each call of zsh's compadd; `load` makes the function of the script and calls it. */
  async function added(candidates: readonly string[], load = 'eval "$SCRIPT"; _svcctl'): Promise<string[]> {
    const script = `
svcctl() { print -rl -- "$@[3,-1]"; }
compdef() { }
compadd() { print -r -- "compadd $*"; [[ "$@[-1]" != -- ]]; }
_files() { print files; }
words=(svcctl "$@") CURRENT=$#words
${load}
print -r -- "returns $?"`;
    const env = { ...process.env, SCRIPT: SCRIPTS.zsh };
    const { stdout } = await promisify(execFile)('zsh', ['-f', '-c', script, 'zsh', ...candidates], { env });
    return stdout.split('\n').slice(0, -1);
  }

  it('adds a space only behind words that are complete', async () => {
    expect(await added(['task/', 'tasks', 'phase='])).toEqual(['compadd -- tasks', 'compadd -S  -- task/ phase=', 'returns 0']);
  });

  it('adds nothing without candidates', async () => {
    expect(await added([])).toEqual(['compadd --', 'compadd -S  --', 'returns 1']);
  });

  it('leaves files to zsh', async () => {
    expect(await added([':files'])).toEqual(['files', 'returns 0']);
  });

  it('completes at the first call of a file in fpath', async () => {
    expect(await added(['get'], 'functions[_svcctl]="$SCRIPT"; _svcctl')).toEqual(['compadd -- get', 'compadd -S  --', 'returns 0']);
  });
});
