import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { withoutText } from './defect.ts';
import { JobMessages } from './job-messages.ts';
import { createFrameReader, encodeBytes, encodeFrame, FRAME } from './frame.ts';
import type { Frame, WorkerDefect } from './frame.ts';
import { JsonWithBytes } from './json-with-bytes.ts';

/** File descriptor of the channel, which spawnWorker opens. */
const CHANNEL_FD = 3;
/** Maximum bytes of a frame. The pool is trusted; the limit only detects a broken stream. */
const MAX_FRAME_BYTES = 256 * 1024 * 1024;
const MAX_DEFECT_TEXT = 2_000;

/** Bytes, signal and messages of a job, in addition to its JSON. */
export interface JobOptions {
  /** Aborts when the job's time is over or its caller cancels. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** The bytes sent with the job (JsonWithBytes). */
  readonly bytes: Uint8Array | undefined;
  /** Asks the caller whether the job may continue. False also after a cancellation. */
  readonly ask: () => Promise<boolean>;
  /**
   * Sends the caller a JSON message. False: it was dropped, because it is too large, there were too many in a short
   * time, or the caller is gone.
   */
  readonly tell: (message: unknown) => boolean;
  /**
   * Asks the caller a question with JSON as its answer. Rejects with NoAnswerError if there is no answer, if too many
   * questions are open, if the question is too large, and after a cancellation.
   */
  readonly question: (question: unknown) => Promise<unknown>;
  /** Ends this process once the job and its other calls have ended: further calls go to another one. */
  readonly retire: () => void;
}

/** Runs a job and returns JSON or JsonWithBytes. Thrown errors are defects; expected failures are results. */
export type RunJob = (job: unknown, o: JobOptions) => Promise<unknown>;

/**
 * Turns this process into a worker of a pool; call it once, as the last statement of the worker's entry. `start` gets
 * the pool's settings, and a logger to the service's log. An uncaught error ends the worker with a line in that log;
 * the worker also ends with the service.
 */
export function serveJobs(
  start: (o: { readonly settings: unknown; readonly log: Logger }) => Promise<RunJob>,
): void {
  const channel = new Socket({ fd: CHANNEL_FD, readable: true, writable: true });
  const running = new Map<number, { readonly abort: AbortController; readonly messages: JobMessages }>();
  /** Bytes that came before the job they belong to, by call id. */
  const attached = new Map<number, Uint8Array>();
  /** Open requests for permission, by call id; a job has at most one. */
  const questions = new Map<number, (mayGoOn: boolean) => void>();
  let runJob: RunJob | undefined;
  let maxResultBytes = 0;
  /** Whether a job asked for the end of this process. */
  let isRetiring = false;
  // The job's code may replace the function.
  const exit = process.exit.bind(process);
  // Ignored: Ctrl-C signals the whole process group, but the service first lets calls end and then ends its workers.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  process.on('uncaughtException', (error) => {
    // Written synchronously, because no more code may run; if the channel is full, the report is lost.
    try {
      writeSync(CHANNEL_FD, encodeFrame(FRAME.fatal, 0, JSON.stringify(withoutText(error))));
    } finally {
      exit(1);
    }
  });

  async function begin(text: string): Promise<void> {
    const log = createLogger({
      service: 'worker',
      level: 'debug',
      destination: { write: (line) => void channel.write(encodeFrame(FRAME.log, 0, line)) },
    });
    runJob = await start({ settings: JSON.parse(text), log });
    channel.write(encodeFrame(FRAME.ready));
  }

  async function answer(run: RunJob, id: number, text: string, timeoutMs: number): Promise<void> {
    const controller = new AbortController();
    const messages = new JobMessages(id, (frame) => channel.write(frame));
    running.set(id, { abort: controller, messages });
    const bytes = attached.get(id);
    attached.delete(id);
    const ask = (): Promise<boolean> =>
      new Promise((resolve) => {
        questions.set(id, resolve);
        if (controller.signal.aborted) decide(id, false);
        else channel.write(encodeFrame(FRAME.ask, id));
      });
    let reply: readonly Uint8Array[];
    try {
      reply = resultFrames(
        id,
        await run(JSON.parse(text), {
          signal: controller.signal,
          timeoutMs,
          bytes,
          ask,
          tell: (message) => messages.tell(message),
          question: (question) => messages.question(question),
          retire: () => {
            isRetiring = true;
          },
        }),
      );
    } catch (error) {
      reply = [encodeFrame(FRAME.failed, id, JSON.stringify(describeDefect(error)), Number(isRetiring))];
    }
    running.delete(id);
    questions.delete(id);
    messages.end();
    for (const part of reply) channel.write(part);
  }

  function decide(id: number, mayGoOn: boolean): void {
    questions.get(id)?.(mayGoOn);
    questions.delete(id);
  }

  function resultFrames(id: number, jobResult: unknown): readonly Uint8Array[] {
    const { json: result, bytes } =
      jobResult instanceof JsonWithBytes ? jobResult : { json: jobResult, bytes: undefined };
    const json = JSON.stringify(result);
    if (Buffer.byteLength(json) > maxResultBytes || (bytes?.length ?? 0) > maxResultBytes)
      throw new RangeError('The result of the job is too large.');
    const frame = encodeFrame(FRAME.result, id, json, Number(isRetiring));
    return bytes === undefined ? [frame] : [...encodeBytes(id, bytes), frame];
  }

  function receive({ type, id, argument, body }: Frame): void {
    switch (type) {
      case FRAME.start:
        maxResultBytes = argument;
        void begin(body.toString('utf8'));
        return;
      case FRAME.bytes:
        // The frame's body is valid only during this call.
        attached.set(id, Buffer.from(body));
        return;
      case FRAME.call:
        if (runJob !== undefined) void answer(runJob, id, body.toString('utf8'), argument);
        return;
      case FRAME.cancel:
        running.get(id)?.messages.end();
        running.get(id)?.abort.abort(new Error('The call was cancelled or its time is over.'));
        decide(id, false);
        return;
      case FRAME.decision:
        decide(id, argument === 1);
        return;
      case FRAME.told:
        running.get(id)?.messages.acknowledge(argument);
        return;
      case FRAME.answer:
        running.get(id)?.messages.answer(argument, body.toString('utf8'));
        return;
      case FRAME.ping:
        channel.write(encodeFrame(FRAME.pong));
        return;
      default:
        throw new Error(`A worker does not know frames of type ${type}.`);
    }
  }

  const reader = createFrameReader(MAX_FRAME_BYTES, receive);
  channel.on('data', (chunk) => reader.push(chunk));
  channel.on('close', () => exit(0));
  channel.on('error', () => exit(0));
}

function describeDefect(error: unknown): WorkerDefect {
  const cut = (text: unknown): string => String(text).slice(0, MAX_DEFECT_TEXT);
  if (!(error instanceof Error)) return { name: 'Error', message: cut(error), stack: '' };
  return { name: cut(error.name), message: cut(error.message), stack: cut(error.stack ?? '') };
}
