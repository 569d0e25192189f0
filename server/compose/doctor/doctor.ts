// svcd doctor: what a server with these flags would allow, with a warning for each loose setting. Starts and changes nothing.
import type { Config } from '../../config.ts';
import { checkSurroundings } from './checks.ts';
import { countText, judgeSettings, type Finding } from './settings.ts';

export interface DoctorOptions {
  readonly output: 'table' | 'json';
  /** Warnings count as failures. */
  readonly strict: boolean;
}

export interface Diagnosis {
  readonly text: string;
  readonly exitCode: 0 | 1;
}

const COLUMNS = 80;
const NAME_COLUMN = 32;
const EXIT_FAILED = 1;

export async function examine(config: Config, options: DoctorOptions): Promise<Diagnosis> {
  return report([...(await checkSurroundings(config)), ...judgeSettings(config)], options);
}

function report(findings: readonly Finding[], { output, strict }: DoctorOptions): Diagnosis {
  const failures = findings.filter(({ failed }) => failed === true).length;
  const warnings = findings.filter(({ failed, warning }) => failed !== true && warning !== undefined).length;
  const ok = failures === 0 && !(strict && warnings > 0);
  const text =
    output === 'json'
      ? JSON.stringify({ ok, failures, warnings, findings }, null, 2)
      : [...findings.flatMap(lines), '', `${countText(failures, 'failure')}, ${countText(warnings, 'warning')}`].join('\n');
  return { text: `${text}\n`, exitCode: ok ? 0 : EXIT_FAILED };
}

function lines({ name, value, warning, failed }: Finding): string[] {
  const mark = failed === true ? 'x' : warning === undefined ? ' ' : '!';
  const head = `${mark} ${name.padEnd(NAME_COLUMN)} `;
  const shown = wrapped(value, COLUMNS - head.length);
  const advice = warning === undefined ? [] : wrapped(warning, COLUMNS - 4).map((line) => `    ${line}`);
  return [...shown.map((line, index) => `${index === 0 ? head : ' '.repeat(head.length)}${line}`), ...advice];
}

function wrapped(text: string, width: number): string[] {
  const rows = [''];
  for (const word of text.split(' ').flatMap((each) => each.match(new RegExp(`.{1,${width}}`, 'gu')) ?? [''])) {
    const last = rows.at(-1) ?? '';
    if (last === '') rows[rows.length - 1] = word;
    else if (last.length + 1 + word.length <= width) rows[rows.length - 1] = `${last} ${word}`;
    else rows.push(word);
  }
  return rows;
}
