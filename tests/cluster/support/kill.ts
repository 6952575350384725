import type { Namespace } from './kubernetes.ts';

/**
 * Kills the first process of a container at once, like `kill -9` from outside. Linux ignores a SIGKILL to the first process from within its
 * own container, so the process kills itself, through Node's inspector.
 */
const END = `
process.kill(1, 'SIGUSR1');
const target = async () => {
  for (;;) {
    const found = await fetch('http://127.0.0.1:9229/json').then((it) => it.json(), () => undefined);
    if (found) return found[0].webSocketDebuggerUrl;
    await new Promise((next) => setTimeout(next, 20));
  }
};
const socket = new WebSocket(await target());
socket.onopen = () => {
  const params = { expression: 'process.abort()' };
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }));
};
socket.onclose = socket.onerror = () => process.exit(0);
`;

/** A process ended between these two times of `performance.now()`. */
export interface Death {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Kills a pod's process without warning; its container is restarted. */
export async function killProcess(namespace: Namespace, pod: string): Promise<Death> {
  const fromMs = performance.now();
  // The command fails if the container ends first.
  await namespace
    .kubectl(['exec', pod, '--', 'node', '--input-type=module', '--eval', END])
    .catch(() => undefined);
  return { fromMs, untilMs: performance.now() };
}
