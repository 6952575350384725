import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import {
  advanced,
  combined,
  contextOf,
  failure,
  holds,
  itemsOf,
  RUN_LIMITS,
  RunLeftError,
  stoppedBy,
  tooLong,
} from '../../domain/workflow-run.ts';
import type { RunChange, RunHead, RunProgress, RunSecrets, StepResult } from '../../domain/workflow-run.ts';
import { originOfSteps } from '../../domain/call-origin.ts';
import { CallerRefusedError } from '../../domain/caller-refused-error.ts';
import { isRepeatable } from '../../domain/target.ts';
import type { WorkflowStep } from '../../domain/workflow.ts';
import type { EvaluatedTemplate } from '../../ports/expressions.ts';
import type { RunLease } from '../../ports/workflow-runs.ts';
import { collectSecrets } from './collect-secrets.ts';
import { executeTool } from '../executions/execute-tool.ts';
import type { ExecutionResult } from '../../domain/execution.ts';
import type { RunPorts } from '../../ports/execution-ports.ts';
import { findCandidates } from '../executions/find-candidates.ts';

/** A run that this process works on. */
export interface ActiveRun {
  readonly head: RunHead;
  readonly lease: RunLease;
  /** Acts for the caller; its signal aborts when the run's time is over or its lease is lost. */
  readonly ctx: RequestContext;
  readonly secrets: RunSecrets;
}

/** The results of the steps, or the message about the step that ended the run. */
export interface StepsEnd {
  readonly progress: RunProgress;
  readonly stopped: string | undefined;
}

const EVALUATION_MS = 10_000;
const BACKOFF_MS = [500, 2_000];
/** Error codes after which the same call may succeed. */
const PASSING = ['RATE_LIMIT_EXCEEDED', 'UNAVAILABLE', 'TIMEOUT', 'INTERNAL'];

/** The outcome of one attempt of a call. */
interface Try {
  readonly result: StepResult;
  readonly mayRetry: boolean;
  readonly info: ExecutionResult['info'] | undefined;
}

/**
 * Runs the remaining steps of a workflow in order. Progress is stored before each call and after its answer, so that another process can
 * continue. No call begins once the caller may no longer act. Throws RunLeftError if this process must stop.
 */
export async function runSteps(ports: RunPorts, run: ActiveRun, from: RunProgress): Promise<StepsEnd> {
  return await new StepRunner(ports, run, from).run();
}

class StepRunner {
  readonly #ports: RunPorts;
  readonly #run: ActiveRun;
  #progress: RunProgress;
  /** JSON bytes of the steps' answers so far. */
  #bytes: number;

  constructor(ports: RunPorts, run: ActiveRun, from: RunProgress) {
    this.#ports = ports;
    this.#run = run;
    this.#progress = from;
    this.#bytes = sizeOf([from.results, from.itemResults]);
  }

  async run(): Promise<StepsEnd> {
    const { steps } = this.#run.head.workflow;
    const stopped = (): string | undefined => stoppedBy(steps, this.#progress.results);
    for (const [index, step] of steps.entries()) {
      if (index < this.#progress.step) continue;
      if (stopped() !== undefined) break;
      try {
        const result = await this.#step(step, index);
        if (result === undefined) continue;
        await this.#save(this.#stepEnd(index, step, result));
      } catch (error) {
        if (!(error instanceof CallerRefusedError)) throw error;
        return { progress: this.#progress, stopped: stoppedFor(step, error) };
      }
    }
    return { progress: this.#progress, stopped: stopped() };
  }

  #stepEnd(index: number, { id }: WorkflowStep, result: StepResult): RunChange {
    const { results, connectionIds, attempts } = this.#progress;
    const kept = { ...results, [id]: result };
    return { kind: 'stepEnd', step: index + 1, results: kept, connectionIds, attempts };
  }

  /** The result of a step; undefined if its condition is false. */
  async #step(step: WorkflowStep, index: number): Promise<StepResult | undefined> {
    const { call, items } = this.#progress;
    const isUnderWay = call !== null || items !== null;
    if (step.when !== undefined && !isUnderWay) {
      const condition = await this.#evaluate(step.when, undefined);
      if (condition.kind === 'failed') return expressionFailure('when', condition);
      if (!holds(condition.value)) return undefined;
    }
    if (step.forEach === undefined) return this.#bounded(await this.#call(step, index, undefined));
    if (items === null) {
      const list = await this.#evaluate(step.forEach, undefined);
      if (list.kind === 'failed') return expressionFailure('forEach', list);
      const found = itemsOf(list.value);
      if (found.length > RUN_LIMITS.items)
        return failure(`forEach: it has ${found.length} items; ${RUN_LIMITS.items} are allowed.`);
      await this.#save({ kind: 'items', step: index, items: found });
    }
    return await this.#eachItem(step, index);
  }

  async #eachItem(step: WorkflowStep, index: number): Promise<StepResult> {
    const items = this.#progress.items ?? [];
    while (this.#progress.itemResults.length < items.length) {
      const last = this.#progress.itemResults.at(-1);
      if (last && !last.isSuccess && step.onError !== 'continue') break;
      const result = await this.#call(step, index, items[this.#progress.itemResults.length]);
      const { connectionIds, attempts } = this.#progress;
      await this.#save({ kind: 'itemEnd', result: this.#bounded(result), connectionIds, attempts });
    }
    return combined(this.#progress.itemResults);
  }

  async #call(step: WorkflowStep, index: number, item: Json | undefined): Promise<StepResult> {
    const fields = await this.#evaluate(step.fields, item);
    if (fields.kind === 'failed') return expressionFailure('fields', fields);
    const candidates = await this.#candidates(step);
    const call = { isRepeatable: candidates.length > 0 && candidates.every(isRepeatable) };
    const tries = step.onError === 'retry' && call.isRepeatable ? RUN_LIMITS.tries : 1;
    for (let tried = 1; ; tried += 1) {
      if (this.#isOver()) return this.#failed('Its call was not made.');
      let tryResult = await this.#uncounted();
      if (tryResult === undefined) {
        await this.#save({ kind: 'call', step: index, call });
        // The template is an object, so its value is, too.
        tryResult = await this.#try(step, index, fields.value as JsonObject);
      }
      const { result, mayRetry, info } = tryResult;
      await this.#note(info);
      if (result.isSuccess || !mayRetry || tried >= tries) return result;
      await this.#pause(BACKOFF_MS[tried - 1] ?? 0);
    }
  }

  async #try(step: WorkflowStep, index: number, fields: JsonObject): Promise<Try> {
    const { ctx, head, secrets } = this.#run;
    try {
      const { outcome, info } = await executeTool(this.#ports, ctx, {
        origin: originOfSteps(head.origin),
        toolSlug: step.toolSlug,
        applicationSlug: step.applicationSlug,
        connectionId: step.connectionId,
        toolsetId: head.toolsetId,
        endUserId: head.endUserId,
        fields,
        filters: [],
        sorts: [],
        top: undefined,
        offset: undefined,
        dryRun: false,
        schemaProfile: '',
        secrets: secrets.known,
        approvedTools: head.approvedTools && (head.approvedTools[index] ?? []),
      });
      const result = outcome.isSuccess
        ? { isSuccess: true, output: outcome.output, errorMessage: null }
        : this.#failed(outcome.errorMessage);
      return { result, mayRetry: true, info };
    } catch (error) {
      return this.#refused(error);
    }
  }

  /**
   * Counts an attempt of a call; returns the reason if it may not be made. Runs before the call is recorded as started: a run that
   * continues elsewhere then simply counts again, and does not treat a merely waiting call as in doubt.
   */
  async #uncounted(): Promise<Try | undefined> {
    try {
      await this.#ports.budgets.takeCall(this.#run.ctx);
      return undefined;
    } catch (error) {
      return this.#refused(error);
    }
  }

  /** Throws CallerRefusedError, which ends the run regardless of `onError`. */
  #refused(error: unknown): Try {
    if (error instanceof CallerRefusedError) throw error;
    if (!(error instanceof ApiError))
      this.#run.ctx.log.error({ err: error }, 'a step of a workflow failed unexpectedly');
    const { code, message } =
      error instanceof ApiError ? error : { code: 'INTERNAL', message: 'An unexpected error occurred.' };
    return { result: this.#failed(`${code}: ${message}`), mayRetry: PASSING.includes(code), info: undefined };
  }

  /** Records the connections that a call used, so that their secrets are masked in later outputs. */
  async #note(info: Try['info']): Promise<void> {
    if (info === undefined) return;
    const { connectionIds, attempts } = this.#progress;
    const { connectionId } = info;
    const used = connectionId === null || connectionIds.includes(connectionId) ? [] : [connectionId];
    this.#progress = {
      ...this.#progress,
      connectionIds: [...connectionIds, ...used],
      attempts: attempts + info.attempts,
    };
    await collectSecrets(this.#ports, this.#run.ctx, this.#run.secrets, used);
  }

  async #candidates({ toolSlug, applicationSlug }: WorkflowStep): ReturnType<typeof findCandidates> {
    // The call itself reports the error.
    return await findCandidates(this.#ports, this.#run.ctx, toolSlug, applicationSlug).catch(() => []);
  }

  async #evaluate(template: Json, item: Json | undefined): Promise<EvaluatedTemplate> {
    const { head, ctx } = this.#run;
    return await this.#ports.expressions.evaluate(
      template,
      contextOf(head.input, this.#progress.results, item),
      { accountId: head.accountId, signal: ctx.signal, timeoutMs: EVALUATION_MS },
    );
  }

  /** The result, or a failure if it would exceed the total size. */
  #bounded(result: StepResult): StepResult {
    const bytes = sizeOf(result);
    if (this.#bytes + bytes <= RUN_LIMITS.resultBytes) {
      this.#bytes += bytes;
      return result;
    }
    const most = RUN_LIMITS.resultBytes / 1024 / 1024;
    return failure(`The call was made, but its result is lost: the steps may answer ${most} MiB together.`);
  }

  #failed(message: string): StepResult {
    return failure(this.#isOver() ? `TIMEOUT: ${tooLong()} ${message}` : message);
  }

  #isOver(): boolean {
    const { startedAt } = this.#run.head;
    return this.#ports.clock.now().getTime() - startedAt.getTime() >= RUN_LIMITS.runMs;
  }

  async #save(change: RunChange): Promise<void> {
    if (change.kind === 'call' && this.#ports.drain.isStopping) throw new RunLeftError('stopping');
    if (!(await this.#ports.runs.save(this.#run.lease, change))) throw new RunLeftError('lost');
    this.#progress = advanced(this.#progress, change);
  }

  async #pause(delayMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#ports.timers.after(delayMs, resolve);
    });
  }
}

function stoppedFor({ id }: WorkflowStep, { code, message }: CallerRefusedError): string {
  return `The run was stopped in step "${id}": ${code}: ${message} No further call was made.`;
}

function expressionFailure(
  member: string,
  { path, message }: Extract<EvaluatedTemplate, { kind: 'failed' }>,
): StepResult {
  return failure(`${member}${path}: ${message}`);
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
