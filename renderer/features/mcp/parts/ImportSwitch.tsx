// Takes a tool into the filter of its server, or leaves it out.
import type { Resource } from '@svc/shared/resource';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { specOf, statusOf } from '../../../kinds/read.ts';
import { client } from '../../../live/api.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { ConfirmDialog } from '../../../ui/overlay/ConfirmDialog.tsx';
import { toastDone, toastError } from '../../../ui/overlay/toast.ts';
import { withoutTool, withTool } from '../model/filter-change.ts';

const KIND = 'McpServer';

const LAST = 'It is the only imported tool, and a filter without names imports all.';

export interface ImportSwitchProps {
  readonly server: Resource;
  /** Name at the server. */
  readonly name: string;
  readonly imported: boolean;
}

export function ImportSwitch({ server, name, imported }: ImportSwitchProps) {
  const { namespace, name: serverName, uid } = server.metadata;
  const { transport, tool_filter: filter } = specOf(KIND, server);
  const { reason } = useCanWrite(transport === 'stdio' ? 'admin' : 'writer');
  const [asking, setAsking] = useState(false);
  const changed = (stored: Resource) => {
    const change = { include: specOf(KIND, stored).tool_filter?.include, discovered: statusOf(KIND, stored).discoveredTools ?? [], name };
    return imported ? withoutTool(change) : withTool(change);
  };
  const include = changed(server);
  const write = useMutation({
    // One after the other, each on the filter as the one before has left it.
    scope: { id: `filter of ${uid}` },
    mutationFn: async () => {
      const next = changed(await client.resources.get.query({ kind: KIND, namespace, name: serverName }));
      if (next === undefined) throw new Error(LAST);
      const body = { spec: { tool_filter: { include: next } } };
      return client.resources.write.mutate({ kind: KIND, namespace, name: serverName, uid, mode: 'patch', body });
    },
    onSuccess: () => {
      toastDone(imported ? `${name} is left out` : `${name} is imported`);
      setAsking(false);
    },
    onError: (error) => toastError('The filter was not changed', error),
  });
  const last = include === undefined ? LAST : undefined;
  return (
    <>
      <Button
        size="sm"
        className="self-start"
        busy={write.isPending && !asking}
        disabledReason={reason ?? last}
        onClick={() => (imported ? setAsking(true) : write.mutate())}
      >
        {imported ? 'Leave out' : 'Import'}
      </Button>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={() => write.mutate()}
        busy={write.isPending}
        title={`Leave out ${name}?`}
        consequence={consequence(include ?? [], !filter?.include?.length)}
        confirmLabel="Leave out"
        danger
      />
    </>
  );
}

function consequence(include: readonly string[], wasOpen: boolean): string {
  const removed = 'Its Tool is deleted with the settings made on it, and agents that name it can no longer call it.';
  const count = include.length === 1 ? 'one tool' : `${include.length} tools`;
  return wasOpen ? `${removed} The filter names the other ${count}: tools that the server adds later are not imported.` : removed;
}
