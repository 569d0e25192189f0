// A node of the tests' Kubernetes: runs the container of a pod as a process of this machine, so that input, output and exit codes are real. Its isolation is not.
import { spawn, type ChildProcess } from 'node:child_process';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { acceptWebSocket, type ServerSocket } from './websocket-frames.ts';
import type { ApiObject } from './kubernetes-store.ts';

/** Behaviour of each image in this node. Any other does not exist. */
export const IMAGES = {
  runs: 'svc-test/tool:1',
  outOfMemory: 'svc-test/greedy:1',
  unheardOf: 'svc-test/missing:1',
  badName: 'NOT AN IMAGE',
};
const IMAGE_ID = `docker.io/svc-test/tool@sha256:${'a'.repeat(64)}`;

export interface NodeOptions {
  /** Values of a Secret; undefined when there is none. */
  readonly secret: (name: string) => Record<string, string> | undefined;
  /** The pod's status has changed. */
  readonly report: (pod: ApiObject, status: Record<string, unknown>) => void;
  readonly behaviour: NodeBehaviour;
}

export interface NodeBehaviour {
  /** Attaches are taken only when the command has ended. */
  lateAttach: boolean;
  /** Number of attaches answered with 500. */
  attachFailures: number;
  /** Number of messages after which an attach is cut. */
  cutAttachAfter: number;
  /** Subprotocols, the best first. */
  protocols: string[];
  /** Nothing is scheduled. */
  full: boolean;
}

interface RunningPod {
  readonly pod: ApiObject;
  readonly child: ChildProcess | undefined;
  readonly log: Buffer[];
  readonly sockets: Set<ServerSocket>;
  ended: boolean;
  readonly whenEnded: Promise<void>;
}

export class KubernetesNode {
  readonly #options: NodeOptions;
  readonly #running = new Map<string, RunningPod>();

  constructor(options: NodeOptions) {
    this.#options = options;
  }

  start(pod: ApiObject): void {
    const { report, behaviour } = this.#options;
    if (behaviour.full) {
      const message = '0/1 nodes are available: 1 Insufficient cpu.';
      return report(pod, { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }] });
    }
    pod.spec['nodeName'] = 'node-1';
    const container = pod.spec.containers[0];
    const waiting = (reason: string, message: string) =>
      report(pod, { phase: 'Pending', containerStatuses: [{ name: 'tool', state: { waiting: { reason, message } } }] });
    waiting('ContainerCreating', '');
    if (container.image === IMAGES.badName) return waiting('InvalidImageName', `couldn't parse image name "${container.image}"`);
    if (container.image !== IMAGES.runs && container.image !== IMAGES.outOfMemory)
      return waiting('ErrImagePull', `${container.image}: not found`);
    const env = this.#environment(container);
    if (!env) return waiting('CreateContainerConfigError', 'secret not found');
    const expand = (text: string) =>
      text.replace(/\$(\$|\((\w+)\))/g, (all: string, what: string, name?: string) => (what === '$' ? '$' : (env[name ?? ''] ?? all)));
    const [program = '/bin/true', ...args] = [...(container.command ?? []), ...(container.args ?? [])].map(expand);
    const child = spawn(program, args, {
      env: { PATH: process.env['PATH'], ...env },
      cwd: container.workingDir ?? '/',
      detached: true,
      stdio: [container.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    });
    this.#follow(pod, child);
  }

  log(podName: string): Buffer | undefined {
    const running = this.#running.get(podName);
    return running && Buffer.concat(running.log);
  }

  /** Ends the pod's process, as on a termination request. */
  kill(podName: string): void {
    const pid = this.#running.get(podName)?.child?.pid;
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }

  async attach(podName: string, request: IncomingMessage, socket: Duplex): Promise<void> {
    const { behaviour } = this.#options;
    const running = this.#running.get(podName);
    if (behaviour.lateAttach) await running?.whenEnded;
    if (!running || running.ended || behaviour.attachFailures-- > 0) {
      socket.end('HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    const offered = String(request.headers['sec-websocket-protocol']).split(/, ?/);
    const protocol = behaviour.protocols.find((name) => offered.includes(name)) ?? '';
    let messages = 0;
    const end = () => {
      if (running.sockets.delete(accepted)) running.child?.stdin?.end();
    };
    const accepted: ServerSocket = acceptWebSocket(request, socket, {
      protocol,
      onMessage: (message) => {
        messages += 1;
        if (messages > behaviour.cutAttachAfter) return accepted.destroy();
        if (message[0] === 0) running.child?.stdin?.write(message.subarray(1));
        if (message[0] === 255 && message[1] === 0 && protocol === 'v5.channel.k8s.io') running.child?.stdin?.end();
      },
      onClose: end,
    });
    running.sockets.add(accepted);
  }

  #environment(container: {
    env?: { name: string; valueFrom: { secretKeyRef: { name: string; key: string } } }[];
  }): Record<string, string> | undefined {
    const entries = (container.env ?? []).map(
      ({ name, valueFrom: { secretKeyRef } }) => [name, this.#options.secret(secretKeyRef.name)?.[secretKeyRef.key]] as const,
    );
    return entries.some(([, value]) => value === undefined) ? undefined : (Object.fromEntries(entries) as Record<string, string>);
  }

  #follow(pod: ApiObject, child: ChildProcess): void {
    let tellEnded: () => void = () => undefined;
    const whenEnded = new Promise<void>((resolve) => (tellEnded = resolve));
    const running: RunningPod = { pod, child, log: [], sockets: new Set(), ended: false, whenEnded };
    this.#running.set(pod.metadata.name, running);
    const common = { name: 'tool', imageID: IMAGE_ID, containerID: `containerd://${pod.metadata.uid}` };
    const finish = (terminated: Record<string, unknown>) => {
      if (running.ended) return;
      running.ended = true;
      for (const socket of running.sockets) {
        socket.send(Buffer.concat([Buffer.of(3), Buffer.from('{"metadata":{},"status":"Success"}')]));
        socket.close();
      }
      const phase = terminated['exitCode'] === 0 ? 'Succeeded' : 'Failed';
      this.#options.report(pod, { phase, containerStatuses: [{ ...common, state: { terminated } }] });
      tellEnded();
    };
    const copy = (channel: number) => (bytes: Buffer) => {
      running.log.push(bytes);
      for (const socket of running.sockets) socket.send(Buffer.concat([Buffer.of(channel), bytes]));
    };
    child.stdout?.on('data', copy(1));
    child.stderr?.on('data', copy(2));
    child.stdin?.on('error', () => undefined);
    child.on('spawn', () => this.#options.report(pod, { phase: 'Running', containerStatuses: [{ ...common, state: { running: {} } }] }));
    child.on('error', (error) => finish({ exitCode: 128, reason: 'StartError', message: `exec: ${error.message}` }));
    child.on('close', (code, signal) => {
      const greedy = pod.spec.containers[0].image === IMAGES.outOfMemory;
      if (greedy) return finish({ exitCode: 137, reason: 'OOMKilled' });
      finish(
        code === null
          ? { exitCode: 137, reason: 'Error', ...(signal && {}) }
          : { exitCode: code, reason: code === 0 ? 'Completed' : 'Error' },
      );
    });
  }
}
