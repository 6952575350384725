// The worker of the pool's tests. Each job misbehaves as its test requires.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { closeSync, readFileSync, writeSync } from 'node:fs';
import { encodeFrame, FRAME } from '../frame.ts';
import { JsonWithBytes } from '../json-with-bytes.ts';
import { serveJobs } from '../serve-jobs.ts';
import type { JobOptions } from '../serve-jobs.ts';

type Job = (o: JobOptions & { readonly value: unknown }) => unknown;

/** State that stays in the process between jobs. */
const memory: unknown[] = [];
/** References that prevent garbage collection. */
const waste: unknown[] = [];
const CHANNEL_FD = 3;

const silence = (): Promise<never> => new Promise(() => {});

function throwInListener(): Promise<never> {
  const server = createServer((socket) => socket.end('x')).listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (address === null || typeof address === 'string') return;
    connect(address.port, '127.0.0.1').on('data', () => {
      throw new Error('a parser threw in its listener');
    });
  });
  return silence();
}

const jobs: Readonly<Record<string, Job>> = {
  echo: ({ value }) => value,
  echoBytes: ({ value, bytes = new Uint8Array() }) => new JsonWithBytes(value, bytes.toReversed()),
  ask: ({ ask }) => ask(),
  askWhenCancelled: async ({ ask, signal }) => {
    const [mayGoOn] = await Promise.all([ask(), once(signal, 'abort')]);
    return [mayGoOn, await ask()];
  },
  askTooOften: async ({ ask }) => {
    for (;;) await ask();
  },
  tell: async ({ tell, value }) => {
    const messages = value as readonly unknown[]; // the test sends a list
    const isSent = messages.map((message) => tell(message));
    // The pool has processed the earlier messages.
    while (!tell('the last one')) await nextTurn();
    return isSent;
  },
  question: async ({ question, value }) => {
    const questions = value as readonly unknown[]; // the test sends a list
    const answers = questions.map((one) => question(one).catch((error: Error) => error.name));
    return await Promise.all(answers);
  },
  questionWhenCancelled: async ({ question, signal }) => {
    const first = question('first').catch((error: Error) => error.name);
    await once(signal, 'abort');
    return [await first, await question('late').catch((error: Error) => error.name)];
  },
  questionWithoutWaiting: ({ question }) => {
    question('first').catch(() => undefined);
    return 'done';
  },
  floodMessages: () => {
    // The first call of a pool has the id 1.
    const frames = Buffer.concat(Array.from({ length: 100 }, () => encodeFrame(FRAME.tell, 1, '{}')));
    for (;;) write(frames);
  },
  floodQuestions: () => {
    for (let number = 1; ; number += 1) write(encodeFrame(FRAME.question, 1, '{}', number));
  },
  tellTooMuch: () => {
    write(encodeFrame(FRAME.tell, 1, JSON.stringify('x'.repeat(64 * 1024))));
    return silence();
  },
  askTwiceByOneNumber: () => {
    for (let at = 0; at < 2; at += 1) write(encodeFrame(FRAME.question, 1, '{}', 7));
    return silence();
  },
  tellGarbage: () => {
    write(encodeFrame(FRAME.tell, 1, '{'));
    return silence();
  },
  pid: () => process.pid,
  pidAndRetire: ({ retire }) => {
    retire();
    return process.pid;
  },
  retireAndFail: ({ retire }) => {
    retire();
    throw new TypeError(String(process.pid));
  },
  timeLeft: ({ timeoutMs }) => timeoutMs,
  environment: () => ({ names: Object.keys(process.env), argv: process.argv.slice(2) }),
  remember: ({ value }) => memory.push(value),
  recall: () => memory,
  untilCancelled: ({ signal }) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve('cancelled'), { once: true })),
  pidWhenCancelled: ({ signal }) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(process.pid), { once: true })),
  silent: silence,
  fail: () => {
    throw new TypeError('the handler is wrong');
  },
  spin: () => {
    for (;;);
  },
  spinInPattern: () => /^(a+)+$/.test(`${'a'.repeat(60)}b`),
  fillHeap: () => {
    for (;;) waste.push({ list: [1, 2, 3] });
  },
  growMap: () => {
    const map = new Map<number, number>();
    for (let key = 0; ; key += 1) map.set(key, key);
  },
  fillBuffers: async () => {
    for (;;) {
      waste.push(Buffer.alloc(1024 * 1024, 1));
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
  exit: () => process.exit(0),
  answerAndExit: ({ value }) => {
    setImmediate(() => process.exit(0));
    return value;
  },
  throwInListener,
  rejectUnhandled: () => {
    void Promise.reject(new Error('nobody handles this'));
    return silence();
  },
  closeChannel: () => {
    closeSync(CHANNEL_FD);
    return silence();
  },
  floodAnswers: () => {
    const frames = Buffer.concat(
      Array.from({ length: 1_000 }, (_, id) => encodeFrame(FRAME.result, id + 1e6, '1')),
    );
    for (;;) write(frames);
  },
  floodLog: () => {
    const line = encodeFrame(FRAME.log, 0, JSON.stringify({ level: 'info', msg: 'again' }));
    for (;;) write(line);
  },
  announceTooMuch: () => {
    const header = encodeFrame(FRAME.result, 1);
    header.writeUInt32BE(0xffff_ffff, 0);
    write(header);
    return silence();
  },
  sendGarbage: () => {
    write(Buffer.alloc(64, 0xff));
    return silence();
  },
  tooManyBytes: () => new JsonWithBytes(null, new Uint8Array(8 * 1024 * 1024)),
  tooLarge: () => 'x'.repeat(8 * 1024 * 1024),
  readFile: ({ value }) => readFileSync(String(value), 'utf8'),
  startProcess: () => execFileSync('/bin/true').toString(),
};

function write(bytes: Buffer): void {
  try {
    writeSync(CHANNEL_FD, bytes);
  } catch {
    // The channel is full here, and the loop continues.
  }
}

serveJobs(async ({ settings, log }) => {
  log.info({ settings }, 'a worker of the tests has started');
  return async (job, options) => {
    // The test sends a job with these members.
    const { name, value } = job as { readonly name: string; readonly value?: unknown };
    const run = jobs[name];
    if (run === undefined) throw new Error(`There is no job ${name}.`);
    return run({ ...options, value });
  };
});
