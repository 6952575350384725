import { parentPort } from 'node:worker_threads';
import type { ThreadReply, ThreadRequest } from './thread-messages.ts';

/** The result of a job. */
export interface ThreadAnswer {
  readonly answer: unknown;
  /** Bytes of the answer that are transferred instead of copied. Each must have a buffer of its own. */
  readonly handedOver: readonly Uint8Array[];
}

/** Runs the jobs of createWorkThread one after another, in the thread that it starts. `work` gets the argument of `run`. */
export function serveThread(work: (job: unknown) => ThreadAnswer | Promise<ThreadAnswer>): void {
  const port = parentPort;
  if (port === null) throw new Error('This is not a thread of createWorkThread.');
  let before = Promise.resolve();

  async function serve({ id, job }: ThreadRequest): Promise<void> {
    const startedAt = performance.now();
    let reply: ThreadReply;
    let buffers: ArrayBuffer[] = [];
    try {
      const { answer, handedOver } = await work(job);
      buffers = handedOver.flatMap(({ buffer }) => (buffer instanceof ArrayBuffer ? [buffer] : []));
      reply = { id, answer, cpuMs: performance.now() - startedAt };
    } catch (failure) {
      reply = { id, failure };
    }
    port?.postMessage(reply, buffers);
  }

  port.on('message', (request: ThreadRequest) => {
    before = before.then(() => serve(request));
  });
}
