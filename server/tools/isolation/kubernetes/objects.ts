// The parts of Kubernetes objects that are read here; everything may be absent, whatever the API's schema says. Types only.
import type { JsonObject } from '@svc/shared/json';

interface Meta {
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly deletionTimestamp?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface ObjectList<T> {
  readonly metadata?: Meta;
  readonly items?: readonly T[];
}

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface Job {
  readonly metadata?: Meta;
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface SecurityContext {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly privileged?: boolean;
  readonly readOnlyRootFilesystem?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
  readonly seccompProfile?: { readonly type?: string };
}

export interface Container {
  readonly name?: string;
  readonly image?: string;
  readonly securityContext?: SecurityContext;
  readonly resources?: { readonly limits?: Readonly<Record<string, string | number>> };
  readonly volumeMounts?: readonly { readonly mountPath?: string; readonly readOnly?: boolean }[];
}

interface StateWords {
  readonly reason?: string;
  readonly message?: string;
}

export interface Terminated extends StateWords {
  readonly exitCode?: number;
  readonly signal?: number;
}

export interface ContainerStatus {
  readonly name?: string;
  readonly imageID?: string;
  readonly containerID?: string;
  readonly state?: { readonly waiting?: StateWords; readonly running?: JsonObject; readonly terminated?: Terminated };
}

export interface Pod {
  readonly metadata?: Meta;
  readonly spec?: {
    readonly nodeName?: string;
    readonly hostNetwork?: boolean;
    readonly hostPID?: boolean;
    readonly hostIPC?: boolean;
    readonly securityContext?: SecurityContext;
    readonly containers?: readonly Container[];
  };
  readonly status?: StateWords & {
    readonly phase?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

export interface PodEvent {
  readonly pod: Pod;
  /** The pod is gone from the API. */
  readonly deleted: boolean;
}

/** The container that the command runs in; whatever else admission puts into the pod is not ours. */
export const TOOL_CONTAINER = 'tool';

export function toolContainer(pod: Pod): Container | undefined {
  return pod.spec?.containers?.find(({ name }) => name === TOOL_CONTAINER);
}

export function toolStatus(pod: Pod): ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find(({ name }) => name === TOOL_CONTAINER);
}
