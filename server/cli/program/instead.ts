// Equivalents in svcctl of commands that other tools have, and of a kind typed in place of a command.
import { findKind, kinds } from '@svc/shared/kinds';
import { nearestKind } from '@svc/shared/kinds/unknown-kind';
import { nearestWord } from '@svc/shared/nearest-word';

const COMMANDS_ELSEWHERE: Readonly<Record<string, string>> = {
  create: 'apply -f FILE',
  add: 'apply -f FILE',
  new: 'init',
  update: 'apply -f FILE',
  replace: 'apply -f FILE',
  set: 'apply -f FILE',
  lint: 'validate -f FILE',
  check: 'validate -f FILE',
  ls: 'get KIND',
  list: 'get KIND',
  ps: 'get tasks',
  top: 'get tasks',
  status: 'get tasks',
  show: 'describe KIND/NAME',
  view: 'describe KIND/NAME',
  inspect: 'describe KIND/NAME',
  tag: 'label KIND/NAME KEY=VALUE',
  event: 'events',
  rm: 'delete KIND/NAME',
  remove: 'delete KIND/NAME',
  start: 'run SYSTEM',
  exec: 'run SYSTEM',
  submit: 'run SYSTEM',
  stop: 'cancel TASK',
  kill: 'cancel TASK',
  rerun: 'retry TASK',
  log: 'logs TASK',
  tail: 'logs -f TASK',
  watch: 'get KIND -w',
  steps: 'trace TASK',
  pending: 'approvals list',
  inbox: 'approvals list',
  reject: 'deny APPROVAL',
  can: 'auth can-i AGENT TOOL',
  'can-i': 'auth can-i AGENT TOOL',
  whoami: 'auth whoami',
  login: 'config set-profile NAME --server URL',
  use: 'config use-profile NAME',
  profile: 'config list',
  profiles: 'config list',
  token: 'tokens list',
  user: 'users list',
  passwd: 'users reset-password NAME',
  namespace: 'namespaces',
  ns: 'namespaces',
  kinds: 'api-resources',
  migrate: 'migrate-store',
};
const SUBCOMMANDS_ELSEWHERE: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    ls: ['list'],
    get: ['show', 'list'],
    describe: ['show'],
    rm: ['delete'],
    remove: ['delete'],
    add: ['create', 'set-profile'],
    new: ['create', 'set-profile'],
    check: ['verify', 'can-i'],
    'current-context': ['current'],
    'get-contexts': ['list'],
    'set-context': ['set-profile'],
    'use-context': ['use-profile'],
  }),
);

const asked = (command: string): string => `; did you mean "${command}"?`;

/** The sentence's end for a command that does not exist; undefined when nothing stands for it. */
export function instead(word: string, known: readonly string[], parent: string | undefined): string | undefined {
  if (parent !== undefined) {
    const name = SUBCOMMANDS_ELSEWHERE.get(word)?.find((each) => known.includes(each));
    return name === undefined ? undefined : asked(`${parent} ${name}`);
  }
  const elsewhere = Object.hasOwn(COMMANDS_ELSEWHERE, word) ? COMMANDS_ELSEWHERE[word] : undefined;
  if (elsewhere !== undefined) return asked(elsewhere);
  const [kindWord = ''] = word.split('/');
  if (findKind(kindWord)) return asked(`get ${word.includes('/') ? word : (findKind(kindWord)?.plural ?? word)}`);
  const meant = nearestWord(word, [...known, ...Object.keys(COMMANDS_ELSEWHERE)]);
  if (meant !== undefined) return known.includes(meant) ? undefined : asked(COMMANDS_ELSEWHERE[meant] ?? meant);
  const near = nearestKind(kindWord, kinds);
  return near && asked(`get ${near.plural}`);
}
