import { fork } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoopResult } from './closed-loop.ts';
import type {
  BodyFloodReport,
  BodyFloodRequest,
  Credential,
  FireReport,
  FireRequest,
  FloodReport,
  FloodRequest,
  LoadRequest,
  LoopRequest,
  SinkReport,
  SinkRequest,
} from './requests.ts';

/** A process of the benchmark that handles one request at a time. */
interface Child<Hello, Command, Reply> {
  readonly pid: number;
  /** The child's message when it became ready. */
  readonly hello: Hello;
  request(request: Command): Promise<Reply>;
  stop(): Promise<void>;
}

/** Headers for each credential. */
export type CredentialHeaders = Readonly<Record<Credential, Readonly<Record<string, string>>>>;

/** Messages of the processes, by script; scripts send them with {@link reportReady} and {@link handleWith}. */
export interface Scripts {
  readonly 'load-generator': Child<object, LoadRequest, LoopResult>;
  readonly 'raw-http': Child<{ url: string }, never, never>;
  readonly 'bare-express': Child<{ url: string }, never, never>;
  readonly 'express-bytes': Child<{ url: string }, never, never>;
  readonly identity: Child<{ url: string }, never, never>;
  readonly 'edge-stage': Child<{ url: string; headers: CredentialHeaders }, never, never>;
  readonly 'rpc-stub': Child<{ httpUrl: string; grpcUrl: string }, never, never>;
  readonly 'rpc-caller': Child<object, LoopRequest, LoopResult>;
  readonly 'mongo-reader': Child<object, LoopRequest, LoopResult>;
  readonly 'evaluation-caller': Child<object, LoopRequest, LoopResult>;
  readonly 'lean-vendor': Child<{ url: string }, never, never>;
  readonly 'lean-mcp': Child<{ url: string }, never, never>;
  readonly 'flooding-mcp': Child<{ url: string }, never, never>;
  readonly 'direct-caller': Child<object, LoopRequest, LoopResult>;
  readonly 'mongo-writer': Child<object, LoopRequest, LoopResult>;
  readonly 'event-source': Child<object, FireRequest, FireReport>;
  readonly 'event-sink': Child<{ url: string }, SinkRequest, SinkReport>;
  readonly flood: Child<{ vendorUrl: string }, FloodRequest, FloodReport>;
  readonly 'page-reader': Child<object, LoadRequest, LoopResult>;
  readonly 'body-flood': Child<object, BodyFloodRequest, BodyFloodReport>;
}

/** Starts a script with arguments. */
export type StartScript = <S extends keyof Scripts>(
  script: S,
  ...args: readonly string[]
) => Promise<Scripts[S]>;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Starts a script of `subjects/` as a separate process and resolves once it is ready. Its output goes to `logFile`, like a service's, or
 * else to this process's. `root` is the script's checkout: names, arguments and messages of the scripts must not change, so that scripts of
 * older checkouts work, too.
 */
export async function startChild<S extends keyof Scripts>(
  script: S,
  o: {
    readonly args: readonly string[];
    readonly logFile?: string;
    readonly root?: string | undefined;
  },
): Promise<Scripts[S]> {
  const log = o.logFile === undefined ? 'inherit' : openSync(o.logFile, 'a');
  const child = fork(join(o.root ?? ROOT, `tests/bench/subjects/${script}.ts`), o.args, {
    stdio: ['ignore', log, 'inherit', 'ipc'],
    // Children do not inherit the benchmark's own options, such as a profiler's.
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
    async request(request) {
      const answer = next();
      child.send(request as object);
      return await answer;
    },
    async stop() {
      child.kill('SIGKILL');
      await gone.catch(() => undefined);
    },
  };
  // The table above types the message; both ends of the channel are in this folder.
  return running as Scripts[S];
}

/** In a child: reports that it is ready. */
export function reportReady(hello: unknown): void {
  process.send?.(hello);
}

/** In a child: handles the benchmark's requests; `answer` defines their type. */
export function handleWith(answer: (request: never) => Promise<unknown>): void {
  process.on('message', (request) => {
    // The benchmark sends nothing else.
    void answer(request as never).then((it) => process.send?.(it));
  });
}
