import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { UnbuiltOutput } from '@fairlead/connector-runtime/outputs/unbuilt-output';
import type { Clock } from '@fairlead/service-kit/clock';
import { isJson, isText } from '@fairlead/service-kit/json/is-json';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import { lateChild } from '@fairlead/service-kit/telemetry/logger';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { JsonWithBytes } from '@fairlead/worker-pool/json-with-bytes';
import { withoutText } from '@fairlead/worker-pool/defect';
import { PoolRefusalError, WorkerLostError } from '@fairlead/worker-pool/errors';
import type { LossReason } from '@fairlead/worker-pool/errors';
import type { PoolLimits } from '@fairlead/worker-pool/limits';
import { createWorkerPool } from '@fairlead/worker-pool/worker-pool';
import type { FilePart } from './divided-result.ts';
import { parseAnswer, parseFinishAnswer } from './evaluation-job.ts';
import type {
  CollectJob,
  EvaluationAnswer,
  FinishAnswer,
  FinishJob,
  Language,
  MaskJob,
  ProgramJob,
} from './evaluation-job.ts';
import { ProgramRecord } from './program-record.ts';

/** A program of an account that is run over values. */
export interface Program {
  readonly language: Language;
  /** The program's key; equal keys mean equal sources. */
  readonly key: string;
  source(): string;
  /** Processor time of a run, in milliseconds. Default: that of the workers. */
  readonly runMs?: number;
}

/** The result of an evaluation. */
export type Evaluation =
  /** The result comes from a process that may be compromised: check its shape. */
  | { readonly kind: 'result'; readonly result: unknown }
  /** The program does not compile, took too long to compile, or has exceeded a limit twice within the hour. */
  | { readonly kind: 'unusable' }
  /** The run exceeded a limit of processor time, memory or nesting. */
  | { readonly kind: 'tooCostly' }
  /** No worker was free in time, or it was lost for a reason other than the program. */
  | { readonly kind: 'overloaded' };

/** The input of a JSON Schema whose value is an unparsed output. */
export interface UnbuiltInput {
  readonly output: UnbuiltOutput;
  /** The root of issue paths, as in a parsed input. */
  readonly root: string;
}

/** A value, which may be unparsed or have unparsed parts, or an output to check. */
type EvaluationInput = Json | LazyJson | { readonly value: LazyObject; readonly root: string } | UnbuiltInput;

/** A large output without its secrets, or the reason for its refusal. */
type FinishedOutput =
  | (Pick<Extract<FinishAnswer, { kind: 'finished' }>, 'kind' | 'secrets' | 'isBinary'> & {
      readonly answer: LazyJson;
      readonly stored: LazyJson;
      readonly files: readonly FilePart[];
    })
  /** The output exceeds a limit. */
  | { readonly kind: 'failed'; readonly message: string };

/** Worker processes that run accounts' own programs, and mask large values, one evaluation at a time per account. */
export interface EvaluationWorkers {
  /**
   * Runs a program of this account over `input`, in which no LazyJson is parsed here. Never rejects because of a program or an
   * input.
   */
  evaluate(
    accountId: string,
    program: Program,
    input: EvaluationInput,
    o: {
      readonly signal: AbortSignal;
      readonly timeoutMs: number;
      /**
       * Whether a run that exceeds a limit counts against program and account; a run over a large input should not.
       * Default: yes.
       */
      readonly excessCounts?: boolean;
    },
  ): Promise<Evaluation>;
  /**
   * Masks these secrets in the JSON object, like createValueMasker. Returns the same LazyJson if it contains none of
   * them, and undefined if no worker was free in time, or the value exceeded a limit.
   */
  mask(
    accountId: string,
    object: LazyJson,
    secrets: readonly string[],
    o: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<LazyJson | undefined>;
  /** The texts of the value that the schema flags as secret, like flaggedSecrets; undefined in the same cases as for `mask`. */
  collectSecrets(
    accountId: string,
    schema: JsonObject,
    value: LazyObject,
    o: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<readonly string[] | undefined>;
  /** The returned and the stored form of a large output; undefined in the same cases as for `mask`. */
  finish(
    accountId: string,
    output: UnbuiltOutput,
    what: Omit<FinishJob, 'kind' | 'shape'>,
    o: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<FinishedOutput | undefined>;
  /** Ends all workers; running evaluations are `overloaded`. */
  close(): Promise<void>;
}

/** Limits of evaluations; the defaults are meant for production. */
export interface EvaluationLimits {
  /** Processor time of compiling a program. Default 1 000. */
  readonly compileMs: number;
  /** Processor time of a run. Default 500. */
  readonly runMs: number;
  /** Maximum programs with a remembered history. Default 10 000. */
  readonly knownPrograms: number;
}

const DEFAULT_LIMITS: EvaluationLimits = { compileMs: 1_000, runMs: 500, knownPrograms: 10_000 };

const POOL_LIMITS: Partial<PoolLimits> = {
  maxWorkers: 4,
  // One worker per account, so that a program is compiled once and an account waits only for its own evaluations.
  workersPerAccount: 1,
  callsPerWorker: 1,
  // Starting a worker costs as much processor time as thousands of evaluations.
  idleMs: 60_000,
  // For workers that are stopped or get no processor time; a worker that spins is ended by its processor time.
  unresponsiveMs: 5_000,
  // Enough for an output that is divided into files.
  resultBytes: 9 * 1024 * 1024,
  // Enough for a vendor's response and the instructions for it.
  jobBytes: 9 * 1024 * 1024,
};

/** Processor time of masking, which is linear: a few times what 8 MiB take. */
const MASK_MS = 5_000;

const OPEN_OBJECT = 0x7b;

/** The worker losses that the program has caused. */
const EXCESSES: readonly LossReason[] = ['cpu', 'memory'];
/** Maximum worker replacements during one evaluation. */
const MAX_COMPILATIONS = 2;

/**
 * Creates the workers. Programs and inputs may be hostile: each evaluation has limits of processor time and memory, and a
 * worker that passes one is killed. A program that does not compile is not used until its source
 * changes, one that passed a limit twice within an hour for another hour; that is logged.
 */
export function createEvaluationWorkers(o: {
  readonly log: Logger;
  readonly clock: Clock;
  readonly limits?: Partial<EvaluationLimits>;
  readonly poolLimits?: Partial<PoolLimits>;
  /** Called with the processor time of each account's workers. */
  readonly onCpu?: (account: string, cpuMs: number) => void;
}): EvaluationWorkers {
  const limits = { ...DEFAULT_LIMITS, ...o.limits };
  const pool = createWorkerPool({
    name: 'evaluations',
    entry: new URL('worker.ts', import.meta.url),
    settings: null,
    log: o.log,
    limits: { ...POOL_LIMITS, ...o.poolLimits },
    onCpu: o.onCpu,
  });
  const record = new ProgramRecord({ clock: o.clock, maxEntries: limits.knownPrograms });

  async function orUndefined<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      failureOf(error, o.log);
      return undefined;
    }
  }

  return {
    close: () => pool.close(),
    async mask(accountId, object, secrets, { signal, timeoutMs }) {
      const job = new JsonWithBytes({ kind: 'mask', secrets } satisfies MaskJob, object.bytes);
      return orUndefined(async () => {
        const answer = await pool.run(accountId, job, { signal, timeoutMs, cpuMs: MASK_MS });
        if (answer instanceof JsonWithBytes) return objectBytes(answer.bytes);
        return parseAnswer(answer).kind === 'unchanged' ? object : undefined;
      });
    },
    async collectSecrets(accountId, schema, value, { signal, timeoutMs }) {
      // A LazyJson becomes JSON when it is serialised.
      const job = { kind: 'collect', schema, value: value as JsonObject } satisfies CollectJob;
      return orUndefined(async () => {
        const answer = parseAnswer(await pool.run(accountId, job, { signal, timeoutMs, cpuMs: MASK_MS }));
        return answer.kind === 'result' && Array.isArray(answer.result)
          ? answer.result.map(String)
          : undefined;
      });
    },
    async finish(accountId, { shape, bytes }, what, { signal, timeoutMs }) {
      const job = new JsonWithBytes({ kind: 'finish', shape, ...what } satisfies FinishJob, bytes);
      return orUndefined(async () =>
        finishedOutput(await pool.run(accountId, job, { signal, timeoutMs, cpuMs: MASK_MS })),
      );
    },
    async evaluate(accountId, program, input, { signal, timeoutMs, excessCounts = true }) {
      const { key, language, runMs = limits.runMs } = program;
      const id = `${accountId} ${key}`;
      if (!record.isUsable(id)) return { kind: 'unusable' };
      const isKnown = record.isKnown(id);
      record.touch(id);
      const log = lateChild(o.log, { accountId, language });
      const endsAt = performance.now() + timeoutMs;
      const give = async (
        job: Job | JsonWithBytes,
        limit: { readonly cpuMs: number; readonly excessCounts?: boolean },
      ): Promise<EvaluationAnswer | Evaluation> => {
        try {
          const leftMs = Math.max(1, endsAt - performance.now());
          return parseAnswer(await pool.run(accountId, job, { signal, timeoutMs: leftMs, ...limit }));
        } catch (error) {
          return failureOf(error, log);
        }
      };

      const compile = async (): Promise<Evaluation | undefined> => {
        const job = { kind: 'compile', key, language, source: program.source() } as const;
        const answer = await give(job, { cpuMs: limits.compileMs });
        if (answer.kind === 'compiled') return undefined;
        if (answer.kind === 'overloaded') return answer;
        if (answer.kind === 'invalid') record.refuse(id);
        else record.postpone(id);
        const reason =
          answer.kind === 'invalid' ? answer.reason : 'It took too long or too much memory to compile.';
        log.warn({ reason }, 'program not usable, nothing is checked by it');
        return { kind: 'unusable' };
      };

      // A program that no worker knows is sent first, so that the input is sent once.
      const failure = isKnown ? undefined : await compile();
      if (failure !== undefined) return failure;
      for (let compilations = 0; ; compilations += 1) {
        const answer = await give(runOf(key, input), { cpuMs: runMs, excessCounts });
        switch (answer.kind) {
          case 'result':
          case 'overloaded':
          case 'unusable':
            return answer;
          case 'tooCostly':
            if (excessCounts && record.exceed(id))
              log.warn('a program passed its limits twice, it is not used for an hour');
            return answer;
          case 'tooDeep':
            return { kind: 'tooCostly' };
          default: {
            if (compilations === MAX_COMPILATIONS) return { kind: 'overloaded' };
            const refused = await compile();
            if (refused !== undefined) return refused;
          }
        }
      }
    },
  };
}

/** Serialises a job for a worker, as the pool does. */
type Job = ProgramJob | { readonly kind: 'run'; readonly key: string; readonly input: unknown };

/** The job that runs a program over this input. */
function runOf(key: string, input: EvaluationInput): Job | JsonWithBytes {
  if (isUnbuilt(input)) {
    const { output, root } = input;
    const job = { kind: 'runUnbuilt', key, shape: output.shape, root } satisfies ProgramJob;
    return new JsonWithBytes(job, output.bytes);
  }
  return { kind: 'run', key, input };
}

function isUnbuilt(input: EvaluationInput): input is UnbuiltInput {
  return (
    typeof input === 'object' && input !== null && 'output' in input && input.output instanceof UnbuiltOutput
  );
}

/** Parses a worker's answer; undefined if it is invalid. */
function finishedOutput(result: unknown): FinishedOutput | undefined {
  if (!(result instanceof JsonWithBytes)) {
    const failed = parseFinishAnswer(result);
    return failed.kind === 'failed' ? failed : undefined;
  }
  const { json, bytes } = result;
  const finished = parseFinishAnswer(json);
  if (finished.kind === 'failed') return finished;
  const { kind, answerBytes, secrets, isBinary } = finished;
  const filesAt = finished.files.reduce((at, file) => at - file.bytes, bytes.length);
  const [answer, stored] = [
    objectBytes(bytes.subarray(0, answerBytes)),
    objectBytes(bytes.subarray(answerBytes, filesAt)),
  ];
  if (answer === undefined || stored === undefined) return undefined;
  let end = filesAt;
  const files = finished.files.map(({ bytes: length, ...file }) => ({
    ...file,
    content: bytes.subarray(end, (end += length)),
  }));
  return { kind, answer, stored, secrets, isBinary, files };
}

/** Undefined if the bytes are not the JSON of an object. */
function objectBytes(bytes: Uint8Array): LazyJson | undefined {
  return bytes[0] === OPEN_OBJECT && isText(bytes) && isJson(bytes) ? new LazyJson(bytes) : undefined;
}

function failureOf(error: unknown, log: Logger): Evaluation {
  if (error instanceof PoolRefusalError)
    return error.reason === 'tooLarge' ? { kind: 'tooCostly' } : { kind: 'overloaded' };
  if (error instanceof WorkerLostError)
    return EXCESSES.includes(error.reason) ? { kind: 'tooCostly' } : { kind: 'overloaded' };
  // The error's texts may quote secret parts of the value.
  log.error({ defect: withoutText(error) }, 'an evaluation ended unexpectedly');
  return { kind: 'unusable' };
}
