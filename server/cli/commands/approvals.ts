// `svcctl approve` and `svcctl deny`.
import { kindByName } from '@svc/shared/kinds';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { CALL_OUTCOMES } from '@svc/shared/kinds/tool-approval/schema';
import type { CommandSetup } from '../command-setup.ts';
import type { Invocation } from '../invocation.ts';
import { postAction } from '../resource-api.ts';

interface Decision {
  readonly comment?: string | undefined;
  readonly outcome?: string | undefined;
  readonly output?: string | undefined;
}

export const setupApprove: CommandSetup = (command, run) => {
  command
    .argument('<approval>', 'name of a tool approval')
    .option('--outcome <what>', `what became of a call of unknown outcome: ${CALL_OUTCOMES.join(', ')}`)
    .option('--output <text>', 'with --outcome done: what the tool answered')
    .option('--comment <text>', 'why, for the record')
    .action((name, { outcome, output, comment }) =>
      run((invocation) => decide(invocation, { name, action: 'approve' }, { outcome, output, comment })),
    );
};

export const setupDeny: CommandSetup = (command, run) => {
  command
    .argument('<approval>', 'name of a tool approval')
    .option('--comment <text>', 'why, for the record')
    .action((name, { comment }) => run((invocation) => decide(invocation, { name, action: 'deny' }, { comment })));
};

async function decide(invocation: Invocation, asked: { name: string; action: 'approve' | 'deny' }, body: Decision): Promise<void> {
  const { client, namespace } = await invocation.connect();
  const kind = kindByName('ToolApproval') as KindDefinition;
  const name = asked.name.replace(/^[a-z-]+\//, '');
  await postAction(client, { kind, namespace, name }, { name: asked.action, body });
  invocation.out(`tool-approval/${name} ${asked.action === 'approve' ? 'approved' : 'denied'}`);
}
