// Actions on runs as terminal commands. Pure.
import { quoted, TOKEN_HEADER } from '../../../ui/text/shell-text.ts';
import type { Run } from '../model/run.ts';

/** Runs the same system with the same input again. */
export function svcctlRun({ metadata, spec }: Run): string {
  const input = Object.entries(spec.input).map(([key, value]) => `-i ${quoted(`${key}=${value}`)}`);
  const priority = spec.priority;
  const extra = [
    ...(priority === 'normal' ? [] : [`--priority ${quoted(priority)}`]),
    ...(spec.max_turns ? [`--max-turns ${spec.max_turns}`] : []),
  ];
  extra.push(...trialOptions(spec.trial));
  return [`npx svcctl -n ${quoted(metadata.namespace)} run ${quoted(spec.system)}`, ...input, ...extra].join(' \\\n  ');
}

function trialOptions(trial: Run['spec']['trial']): string[] {
  if (!trial) return [];
  const { breakpoints = [], pins = [], only, from, wait, versions = [], overrides } = trial;
  return [
    ...breakpoints.map(({ node, at }) => `--break-${at} ${quoted(node)}`),
    ...pins.map(({ node, output = '', task }) =>
      task === undefined ? `--pin ${quoted(`${node}=${output}`)}` : `--pin-from ${quoted(`${node}=${task}`)}`,
    ),
    ...(only ? [`--only ${quoted(only.task === undefined ? only.node : `${only.node}=${only.task}`)}`] : []),
    ...(from ? [`--from ${quoted(`${from.node}=${from.task}`)}`] : []),
    ...(breakpoints.length > 0 ? [`--trial-wait ${wait}`] : []),
    ...versions.map(({ kind, name, generation }) =>
      kind === 'Agent' ? `--agent-version ${quoted(`${name}=${generation}`)}` : `--system-version ${generation}`,
    ),
    ...Object.entries(overrides?.model ?? {}).map((pair) => `--agent-model ${quoted(pair.join('='))}`),
    ...Object.entries(overrides?.prompt ?? {}).map(([agent, text]) => `--agent-prompt ${quoted(`${agent}=${text.replace(/^@/, '@@')}`)}`),
  ];
}

/** Command line of curl that starts the run again. */
export function curlRun({ metadata, spec }: Run, origin: string): string {
  const body = { metadata: { name: `${metadata.name.slice(0, 240)}-again`, labels: metadata.labels }, spec };
  return [
    `curl -sS -X POST ${quoted(`${origin}/v1/tasks?namespace=${encodeURIComponent(metadata.namespace)}`)}`,
    `-H 'content-type: application/json'`,
    TOKEN_HEADER,
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ');
}
