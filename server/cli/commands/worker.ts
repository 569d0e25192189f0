// `svcctl worker`: suspend workers, which drains them, and resume them.
import { worker } from '@svc/shared/kinds/worker/index';
import { DEFAULT_NAMESPACE } from '@svc/shared/resource';
import type { CommandSetup } from '../program/command-setup.ts';
import { handleFromWord } from '../arguments/named-argument.ts';
import { addSuspension } from './suspension.ts';

export const setupWorker: CommandSetup = (command, run) =>
  addSuspension(command, run, {
    kind: worker,
    // Workers serve every namespace and live in one.
    async handleOf(invocation, word) {
      const { client, key } = await handleFromWord(invocation, worker, word);
      return { client, key: { ...key, namespace: DEFAULT_NAMESPACE } };
    },
    argument: 'worker',
    names: 'names of the workers',
    suspend: 'drain workers: they claim no new runs, those they have continue',
    resume: 'let suspended workers claim runs again',
  });
