// Effect of a pod's status on the call that waits for it. Pure.
import { constants } from 'node:os';
import { toolStatus, type Pod, type PodEvent, type Terminated } from './objects.ts';

export type PodState =
  | { readonly kind: 'waiting'; readonly reason: string; readonly message: string }
  | { readonly kind: 'running' }
  | { readonly kind: 'ended'; readonly end: ContainerEnd }
  /** The command could not be started. */
  | { readonly kind: 'not-started'; readonly message: string; readonly exitCode: number }
  | { readonly kind: 'no-image'; readonly problem: ImageProblem; readonly reason: string; readonly message: string }
  /** The cluster took the pod away, or refused it. */
  | { readonly kind: 'lost'; readonly reason: string; readonly message: string; readonly began: boolean };

type ImageProblem = 'image_pull_failed' | 'image_not_found' | 'image_invalid' | 'image_refused';

export interface ContainerEnd {
  readonly exitCode: number;
  readonly signal?: string;
  readonly oomKilled: boolean;
}

/** Reasons of a waiting container without an image, as the kubelet names them. It has one word for a registry that refuses and one that does not answer. */
const IMAGE_REASONS: Readonly<Record<string, ImageProblem>> = {
  ErrImagePull: 'image_pull_failed',
  ImagePullBackOff: 'image_pull_failed',
  RegistryUnavailable: 'image_pull_failed',
  ImageInspectError: 'image_pull_failed',
  ErrImageNeverPull: 'image_not_found',
  InvalidImageName: 'image_invalid',
  SignatureValidationFailed: 'image_refused',
};
/** Reasons of a container that ended without having begun, by container runtime. */
const START_REASONS: ReadonlySet<string | undefined> = new Set(['StartError', 'ContainerCannotRun']);

export function podState({ pod, deleted }: PodEvent): PodState {
  const { waiting, running, terminated } = toolStatus(pod)?.state ?? {};
  const { phase, reason = '', message = '' } = pod.status ?? {};
  const began = running !== undefined || terminated !== undefined;
  // A container that ends after its pod was deleted did not end by itself.
  if (deleted || (terminated && pod.metadata?.deletionTimestamp !== undefined)) {
    return { kind: 'lost', reason: reason || 'Deleted', message, began };
  }
  if (terminated) return endOf(terminated, pod);
  if (phase === 'Failed') return { kind: 'lost', reason: reason || 'Failed', message, began };
  if (running) return { kind: 'running' };
  const problem = waiting?.reason === undefined ? undefined : IMAGE_REASONS[waiting.reason];
  if (waiting?.reason !== undefined && problem !== undefined) {
    return { kind: 'no-image', problem, reason: waiting.reason, message: waiting.message ?? '' };
  }
  return waitingState(pod, waiting?.reason, waiting?.message);
}

function endOf({ exitCode = -1, signal, reason, message = '' }: Terminated, pod: Pod): PodState {
  if (START_REASONS.has(reason)) return { kind: 'not-started', message, exitCode };
  // A pod whose command ended by itself has no reason of its own: the node ended this one.
  if (pod.status?.reason !== undefined && exitCode !== 0) {
    return { kind: 'lost', reason: pod.status.reason, message: pod.status.message ?? '', began: true };
  }
  const name = signal === undefined || signal === 0 ? undefined : signalName(signal);
  return { kind: 'ended', end: { exitCode, oomKilled: reason === 'OOMKilled', ...(name !== undefined && { signal: name }) } };
}

function waitingState(pod: Pod, ...[reason, message]: [string | undefined, string | undefined]): PodState {
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False')
    return { kind: 'waiting', reason: scheduled.reason ?? 'Unschedulable', message: scheduled.message ?? '' };
  return { kind: 'waiting', reason: reason ?? 'Pending', message: message ?? '' };
}

function signalName(signal: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => number === signal)?.[0];
}
