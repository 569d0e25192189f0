// The quickstart's page: a title, what was started, the run as it happens, its output, and what to try next.
import { statusOf } from '@svc/shared/kinds/read';
import { runOutput } from '@svc/shared/kinds/task/run-output';
import type { Resource } from '@svc/shared/resource';
import { createProgress, outcomeLines } from '../cli/output/run-progress.ts';
import type { Style } from '../cli/output/style.ts';
import { padRight } from '../cli/output/text-width.ts';
import type { TraceEntry } from '../cli/api/trace-entry.ts';

const MARGIN = '  ';
const LABEL_WIDTH = 12;

export interface Layout {
  readonly title: (version: string) => string[];
  readonly fact: (label: string, value: string, note?: string) => string[];
  readonly runStarts: (taskName: string) => string[];
  readonly step: (entry: TraceEntry) => string[];
  readonly result: (task: Resource) => string[];
  readonly next: (facts: { url: string; taskName: string; staysUp: boolean }) => string[];
}

const indented = (lines: readonly string[]): string[] => lines.map((line) => (line === '' ? '' : `${MARGIN}${line}`));

function outputOf(task: Resource): string {
  return runOutput(statusOf('Task', task).output).answer?.trimEnd() ?? '';
}

function nextLines(style: Style, { url, taskName, staysUp }: { url: string; taskName: string; staysUp: boolean }): string[] {
  const command = (text: string, why: string) => `${MARGIN}${padRight(text, 58)}${style.dim(why)}`;
  if (!staysUp) return indented(['', style.dim('Run it without --once to keep the server up and look around.'), '']);
  return indented([
    '',
    style.bold('Look around') + style.dim(' (in another terminal)'),
    `${MARGIN}export SVCCTL_SERVER=${url}`,
    command(`npx svcctl trace ${taskName}`, 'every step as a tree'),
    command(`npx svcctl messages ${taskName}`, 'what the agents handed each other'),
    command(`npx svcctl describe task/${taskName}`, 'the record of the run'),
    command('npx svcctl run pipeline --input topic="spring tides"', 'another run'),
    command('npx svcctl get tasks -w', 'tasks as they change'),
    '',
    `${padRight('Console', LABEL_WIDTH)}${style.accent(`${url}/n/default/tasks/${taskName}`)}`,
    `${padRight('API', LABEL_WIDTH)}${style.accent(`${url}/v1/tasks/${taskName}`)}`,
    `${padRight('API docs', LABEL_WIDTH)}${style.accent(`${url}/docs`)}`,
    '',
    style.dim('The server stays up until Ctrl-C.'),
    '',
  ]);
}

export function createLayout(style: Style, columns: number): Layout {
  const progress = createProgress(style, columns - MARGIN.length);
  return {
    title: (version) => indented(['', `${style.bold('Agent Orchestration Service')} ${style.dim(`${version} · quickstart`)}`, '']),
    fact: (label, value, note) => indented([`${padRight(label, LABEL_WIDTH)}${style.accent(value)}${note ? `  ${style.dim(note)}` : ''}`]),
    runStarts: (taskName) => indented(['', ...progress.open(`Task ${taskName}`)]),
    step: (entry) => indented(progress.step(entry)),
    result: (task) =>
      indented([
        ...outcomeLines(task, style),
        '',
        style.bold('Output'),
        ...outputOf(task)
          .split('\n')
          .map((line) => `${MARGIN}${line}`),
      ]),
    next: (facts) => nextLines(style, facts),
  };
}
