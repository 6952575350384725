import { isJsonObject } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/model';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { withoutText } from '@fairlead/worker-pool/defect';
import { PoolRefusalError, WorkerLostError } from '@fairlead/worker-pool/errors';
import type { LossReason } from '@fairlead/worker-pool/errors';
import type { PoolLimits } from '@fairlead/worker-pool/limits';
import { createWorkerPool } from '@fairlead/worker-pool/worker-pool';
import { parseAnswer } from './evaluation-job.ts';
import type { EvaluationAnswer, EvaluationJob, Language } from './evaluation-job.ts';
import { ProgramRecord } from './program-record.ts';

/** Text of an account that is run over values. */
export interface Program {
  readonly language: Language;
  /** The same for the same source only. */
  readonly key: string;
  source(): string;
  /** Processor time of a run, in milliseconds. Default: that of the workers. */
  readonly runMs?: number;
}

/** How an evaluation ended. */
export type Evaluation =
  /** The result comes from a process that may be compromised: check its shape. */
  | { readonly kind: 'result'; readonly result: unknown }
  /** The program does not compile, took too long to, or has passed a limit twice. */
  | { readonly kind: 'unusable' }
  /** The run passed a limit of processor time, memory or nesting. */
  | { readonly kind: 'tooCostly' }
  /** There was no worker in time, or it was lost through no fault of the program that is known. */
  | { readonly kind: 'overloaded' };

/** Worker processes that run accounts' own programs, and mask large values, one evaluation at a time per account. */
export interface EvaluationWorkers {
  /** Runs a program of this account over `input`. Never rejects because of a program or an input. */
  evaluate(
    accountId: string,
    program: Program,
    input: Json,
    o: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<Evaluation>;
  /**
   * The value without these secrets, masked as createValueMasker does; undefined if there was no worker in time, or the
   * value passed a limit.
   */
  mask(
    accountId: string,
    value: JsonObject,
    secrets: readonly string[],
    o: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<JsonObject | undefined>;
  /** Ends every worker; evaluations that still run are `overloaded`. */
  close(): Promise<void>;
}

/** Limits of evaluations; the defaults are meant for production. */
export interface EvaluationLimits {
  /** Processor time of compiling a program. Default 1 000. */
  readonly compileMs: number;
  /** Processor time of a run. Default 500. */
  readonly runMs: number;
  /** Programs whose past is remembered. Default 10 000. */
  readonly knownPrograms: number;
}

const DEFAULT_LIMITS: EvaluationLimits = { compileMs: 1_000, runMs: 500, knownPrograms: 10_000 };

const POOL_LIMITS: Partial<PoolLimits> = {
  maxWorkers: 4,
  // So a program is compiled once, and an account waits for its own evaluations only.
  workersPerAccount: 1,
  callsPerWorker: 1,
  // Its start costs as much processor time as thousands of evaluations.
  idleMs: 60_000,
  // Processor time ends a worker that spins; this one is stopped, or gets no processor time.
  unresponsiveMs: 5_000,
  // A hundred issues, each character escaped.
  resultBytes: 2.5 * 1024 * 1024,
};

/** Processor time of masking, which is linear: a few times what 8 MiB take. */
const MASK_MS = 5_000;

/** What a program does to its worker. */
const EXCESSES: readonly LossReason[] = ['cpu', 'memory'];
/** A worker is replaced so often during one evaluation at most. */
const MAX_COMPILATIONS = 2;

/**
 * Creates the workers. Programs and inputs may be hostile: each evaluation has limits of processor time and memory, and a
 * worker that passes one is killed. A program that does not compile, and one that passed a limit twice, is not used any
 * more until its source changes; that is logged.
 */
export function createEvaluationWorkers(o: {
  readonly log: Logger;
  readonly clock: Clock;
  readonly limits?: Partial<EvaluationLimits>;
  readonly poolLimits?: Partial<PoolLimits>;
  /** Told the processor time of each account's workers. */
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

  return {
    close: () => pool.close(),
    async mask(accountId, value, secrets, { signal, timeoutMs }) {
      const job: EvaluationJob = { kind: 'mask', secrets, value };
      try {
        const limits = { signal, timeoutMs, cpuMs: MASK_MS };
        const answer = parseAnswer(await pool.run(accountId, job, limits));
        return answer.kind === 'result' && isJsonObject(answer.result) ? answer.result : undefined;
      } catch (error) {
        failureOf(error, o.log);
        return undefined;
      }
    },
    async evaluate(accountId, program, input, { signal, timeoutMs }) {
      const { key, language, runMs = limits.runMs } = program;
      const id = `${accountId} ${key}`;
      if (!record.isUsable(id)) return { kind: 'unusable' };
      const isKnown = record.isKnown(id);
      record.touch(id);
      const log = o.log.child({ accountId, language });
      const endsAt = performance.now() + timeoutMs;
      const give = async (job: EvaluationJob, cpuMs: number): Promise<EvaluationAnswer | Evaluation> => {
        try {
          const leftMs = Math.max(1, endsAt - performance.now());
          return parseAnswer(await pool.run(accountId, job, { signal, timeoutMs: leftMs, cpuMs }));
        } catch (error) {
          return failureOf(error, log);
        }
      };

      const compile = async (): Promise<Evaluation | undefined> => {
        const job = { kind: 'compile', key, language, source: program.source() } as const;
        const answer = await give(job, limits.compileMs);
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
        const answer = await give({ kind: 'run', key, input }, runMs);
        switch (answer.kind) {
          case 'result':
          case 'overloaded':
          case 'unusable':
            return answer;
          case 'tooCostly':
            if (record.exceed(id)) log.warn('a program passed its limits twice, it is not used any more');
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

function failureOf(error: unknown, log: Logger): Evaluation {
  if (error instanceof PoolRefusalError)
    return error.reason === 'tooLarge' ? { kind: 'tooCostly' } : { kind: 'overloaded' };
  if (error instanceof WorkerLostError)
    return EXCESSES.includes(error.reason) ? { kind: 'tooCostly' } : { kind: 'overloaded' };
  // Its texts may quote the value, and nobody knows which parts of that are secret.
  log.error({ defect: withoutText(error) }, 'an evaluation ended unexpectedly');
  return { kind: 'unusable' };
}
