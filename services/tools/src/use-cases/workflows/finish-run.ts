import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { Clock } from '@fairlead/service-kit/clock';
import { successOf } from '../../domain/execution.ts';
import type { ExecutionResult, Outcome } from '../../domain/execution.ts';
import { historyRecord, maskedMessage } from '../../domain/history-record.ts';
import { createMasker } from '@fairlead/connector-runtime/value-masking';
import type { Masker } from '@fairlead/connector-runtime/value-masking';
import { plainOutput } from '@fairlead/connector-runtime/outputs/cut-json';
import { contextOf, outputsById, RUN_LIMITS, runInfo, runOutput } from '../../domain/workflow-run.ts';
import type { RunProgress } from '../../domain/workflow-run.ts';
import type { Expressions } from '../../ports/expressions.ts';
import type { History } from '../../ports/history.ts';
import type { OutputMasker } from '../../ports/output-masker.ts';
import type { WorkflowRuns } from '../../ports/workflow-runs.ts';
import { collectSecrets } from './collect-secrets.ts';
import type { CollectSecretsDeps } from './collect-secrets.ts';
import { divideRunOutput } from './divide-run-output.ts';
import type { DivideRunOutputDeps } from './divide-run-output.ts';
import type { ActiveRun, StepsEnd } from './run-steps.ts';

export interface FinishRunDeps extends CollectSecretsDeps, DivideRunOutputDeps {
  readonly expressions: Pick<Expressions, 'evaluate'>;
  readonly outputMasker: OutputMasker;
  readonly history: Pick<History, 'settle'>;
  readonly runs: Pick<WorkflowRuns, 'finish'>;
  readonly clock: Clock;
}

/** The outcome of a run for its caller, and for the history if that differs. */
interface RunOutcome extends Pick<ExecutionResult, 'isMcpResult'> {
  readonly returned: Outcome;
  readonly kept?: Outcome;
}

const EVALUATION_MS = 10_000;
const MASK_MS = 10_000;

/**
 * Ends a run: evaluates and masks its output, completes its history row, and removes its stored progress. Throws if the row cannot be
 * completed; the process that takes the run over then finishes it again.
 */
export async function finishRun(
  deps: FinishRunDeps,
  run: ActiveRun,
  { progress, stopped }: StepsEnd,
): Promise<ExecutionResult> {
  const { head, lease, secrets } = run;
  const areKnown = await collectSecrets(deps, run.ctx, secrets, []);
  const masker = createMasker(secrets.known);
  const fail = (message: string): Outcome => ({
    isSuccess: false,
    errorMessage: maskedMessage(message, masker),
  });
  const outcome = stopped === undefined ? await outputOf(deps, run, progress) : fail(stopped);
  let outcomeViews: RunOutcome;
  if (!areKnown)
    outcomeViews = {
      returned: fail(
        'The run has ended, but its result could not be searched for secrets. See the history of its steps.',
      ),
    };
  else if (outcome.isSuccess)
    outcomeViews = await maskOutput(deps, run, { output: outcome.output, masker }, fail);
  else outcomeViews = { returned: fail(outcome.errorMessage) };
  const { returned, kept = returned, isMcpResult } = outcomeViews;
  const info = runInfo(head, progress.attempts, deps.clock.now());
  const isOutputCut = isMcpResult === true;
  const row = { fields: head.maskedInput, outcome: kept, isOutputCut, info, outputMismatch: [] };
  const record = historyRecord(row, masker);
  await deps.history.settle(head.accountId, head.historyId, record);
  await deps.runs.finish(lease);
  return { outcome: returned, historyId: head.historyId, info, isMcpResult };
}

async function outputOf(
  { expressions }: FinishRunDeps,
  { head, ctx }: ActiveRun,
  { results }: RunProgress,
): Promise<Outcome> {
  const { output: template } = head.workflow;
  let value: Json | undefined = outputsById(results);
  if (template !== null) {
    const evaluated = await expressions.evaluate(template, contextOf(head.input, results, undefined), {
      accountId: head.accountId,
      signal: ctx.signal,
      timeoutMs: EVALUATION_MS,
    });
    if (evaluated.kind === 'failed')
      return { isSuccess: false, errorMessage: `output${evaluated.path}: ${evaluated.message}` };
    ({ value } = evaluated);
  }
  const output = plainOutput(runOutput(value));
  const { outputBytes, filedOutputBytes } = RUN_LIMITS;
  const maxBytes = head.origin.source === 'mcp' ? filedOutputBytes : outputBytes;
  if (output !== undefined && sizeOf(output) <= maxBytes) return { isSuccess: true, output };
  return {
    isSuccess: false,
    errorMessage:
      'The steps have ended, but the output is larger than 1 MiB, or nests too deep. Select less of it.',
  };
}

async function maskOutput(
  deps: FinishRunDeps,
  run: ActiveRun,
  { output, masker }: { readonly output: JsonObject; readonly masker: Masker },
  fail: (message: string) => Outcome,
): Promise<RunOutcome> {
  const failed = (): RunOutcome => ({
    returned: fail(
      'The steps have ended, but the output could not be searched for secrets in time. Select less of it.',
    ),
  });
  if (sizeOf(output) > RUN_LIMITS.outputBytes) {
    const o = { secrets: masker.secrets, timeoutMs: MASK_MS };
    const divided = await divideRunOutput(deps, run, output, o);
    if (divided === undefined) return failed();
    return { returned: divided.outcome, kept: divided.kept, isMcpResult: true };
  }
  const { head, ctx } = run;
  const views = await deps.outputMasker.mask(output, masker, {
    accountId: head.accountId,
    signal: ctx.signal,
    timeoutMs: MASK_MS,
  });
  return views === undefined ? failed() : { returned: successOf(views) };
}

function sizeOf(output: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(output));
}
