// Initial text of a new system: empty, a template, another system, or a deleted one. The YAML writer is loaded on demand.
import { queryOptions } from '@tanstack/react-query';
import { kindNamed } from '../../../kinds/kind-table.ts';
import { client } from '../../../live/api.ts';
import { queryClient } from '../../../live/query-client.ts';
import { recallLost } from '../../explorer/model/lost-objects.ts';
import { templatesQuery } from '../../explorer/model/templates.ts';

/** Parameters of the address. Empty texts are absent. */
export interface SystemStart {
  readonly template: string;
  /** `namespace/name` of the system to duplicate, or its name alone. */
  readonly from: string;
  /** `namespace/name` of a system that was deleted while it was open. */
  readonly lost: string;
  readonly name: string;
}

export interface StartText {
  readonly text: string;
  /** The requested source is unknown, and the text is an empty system instead. */
  readonly missed: boolean;
}

const KIND = 'AgentSystem';
const writing = () => Promise.all([import('./system-text.ts'), import('../../../yaml/serialise.ts')]);

const nameIn = (key: string) => key.slice(key.indexOf('/') + 1);

async function copyOf(key: string, namespace: string): Promise<string> {
  const home = key.includes('/') ? key.slice(0, key.indexOf('/')) : namespace;
  const [original, [{ duplicateText }]] = await Promise.all([
    client.resources.get.query({ kind: KIND, namespace: home, name: nameIn(key) }),
    writing(),
  ]);
  return duplicateText(original, namespace);
}

async function templateText(namespace: string, { template, name }: SystemStart): Promise<string | undefined> {
  const kind = kindNamed(KIND);
  if (!kind) return undefined;
  const start = { template, from: '', lost: '', name, with: '' };
  const templates = await queryClient.ensureQueryData(templatesQuery(kind, namespace, start));
  return templates.find(({ id }) => id === template)?.text;
}

async function startText(namespace: string, start: SystemStart): Promise<StartText> {
  if (start.from !== '') return { text: await copyOf(start.from, namespace), missed: false };
  const [{ newSystemText }, { objectYaml }] = await writing();
  const wanted = start.lost === '' ? start.name : nameIn(start.lost);
  const blank = wanted === '' ? newSystemText(namespace) : newSystemText(namespace, wanted);
  if (start.lost === '' && start.template === '') return { text: blank, missed: false };
  const lost = start.lost === '' ? undefined : recallLost(KIND, start.lost);
  const found = lost ? objectYaml(lost) : start.template === '' ? undefined : await templateText(namespace, start);
  return { text: found ?? blank, missed: found === undefined };
}

/** Rejects when the system to duplicate is not there. */
export const startTextQuery = (namespace: string, start: SystemStart) =>
  queryOptions({
    queryKey: ['system-start', namespace, start],
    queryFn: () => startText(namespace, start),
    refetchInterval: false,
    // The user edits this text: once loaded it is not requested again, even when the stream returns.
    staleTime: 'static',
    gcTime: 0,
  });
