import { fork } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoopResult } from './closed-loop.ts';
import type { Credential, LoadQuestion, LoopQuestion } from './questions.ts';

/** A process of the bench that answers one question at a time. */
interface Child<Hello, Question, Answer> {
  readonly pid: number;
  /** What it said when it was ready. */
  readonly hello: Hello;
  ask(question: Question): Promise<Answer>;
  stop(): Promise<void>;
}

/** The headers that carry each credential. */
export type CredentialHeaders = Readonly<Record<Credential, Readonly<Record<string, string>>>>;

/** What the processes say, by script; each says it where it calls {@link sayReady} and {@link answerWith}. */
export interface Scripts {
  readonly 'load-generator': Child<object, LoadQuestion, LoopResult>;
  readonly 'raw-http': Child<{ url: string }, never, never>;
  readonly 'bare-express': Child<{ url: string }, never, never>;
  readonly 'edge-stage': Child<{ url: string; headers: CredentialHeaders }, never, never>;
  readonly 'rpc-stub': Child<{ httpUrl: string; grpcUrl: string }, never, never>;
  readonly 'rpc-caller': Child<object, LoopQuestion, LoopResult>;
  readonly 'mongo-reader': Child<object, LoopQuestion, LoopResult>;
}

/** Starts a script with arguments. */
export type StartScript = <S extends keyof Scripts>(
  script: S,
  ...args: readonly string[]
) => Promise<Scripts[S]>;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Starts a script of `subjects/` as a process of its own and resolves once it is ready. Its output goes to `logFile`, as
 * that of a service does. `root` is the checkout whose script it is: names, arguments and messages of the scripts stay,
 * so that an older checkout's can be asked too.
 */
export async function startChild<S extends keyof Scripts>(
  script: S,
  o: {
    readonly args: readonly string[];
    readonly logFile: string;
    readonly root?: string | undefined;
  },
): Promise<Scripts[S]> {
  const log = openSync(o.logFile, 'a');
  const child = fork(join(o.root ?? ROOT, `tests/bench/subjects/${script}.ts`), o.args, {
    stdio: ['ignore', log, 'inherit', 'ipc'],
    // The bench's own options, such as a profiler's, are not its children's.
    execArgv: [],
  });
  const gone = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`${script} ended (${String(code ?? signal)})`);
  });
  gone.catch(() => undefined);
  const next = async (): Promise<unknown> => {
    const [message] = (await Promise.race([once(child, 'message'), gone])) as [unknown];
    return message;
  };
  const hello = await next();
  if (child.pid === undefined) throw new Error(`${script} has no process id`);
  const running: Child<unknown, unknown, unknown> = {
    pid: child.pid,
    hello,
    async ask(question) {
      const answer = next();
      child.send(question as object);
      return await answer;
    },
    async stop() {
      child.kill('SIGKILL');
      await gone.catch(() => undefined);
    },
  };
  // The table above says what came over the channel; both ends of it are in this folder.
  return running as Scripts[S];
}

/** In a child: says that it is ready. */
export function sayReady(hello: unknown): void {
  process.send?.(hello);
}

/** In a child: answers every question of the bench, which are of the type that `answer` takes. */
export function answerWith(answer: (question: never) => Promise<unknown>): void {
  process.on('message', (question) => {
    // The bench sends nothing else.
    void answer(question as never).then((it) => process.send?.(it));
  });
}
