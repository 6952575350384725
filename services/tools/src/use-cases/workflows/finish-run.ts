import type { Json, JsonObject } from '@fairlead/connector-model/model';
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
import type { ActiveRun, StepsEnd } from './run-steps.ts';

export interface FinishRunDeps extends CollectSecretsDeps {
  readonly expressions: Pick<Expressions, 'evaluate'>;
  readonly outputMasker: OutputMasker;
  readonly history: Pick<History, 'settle'>;
  readonly runs: Pick<WorkflowRuns, 'finish'>;
  readonly clock: Clock;
}

const EVALUATION_MS = 10_000;
const MASK_MS = 10_000;

/**
 * Ends a run: evaluates its output, masks it, completes its row of the history, and removes what was stored of its
 * progress. Throws if the row cannot be completed; then the run is finished again by the process that takes it over.
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
  let outcome = stopped === undefined ? await outputOf(deps, run, progress) : fail(stopped);
  if (!areKnown)
    outcome = fail(
      'The run has ended, but its result could not be searched for secrets. See the history of its steps.',
    );
  else if (outcome.isSuccess) outcome = await masked(deps, run, { output: outcome.output, masker }, fail);
  else outcome = fail(outcome.errorMessage);
  const info = runInfo(head, progress.attempts, deps.clock.now());
  const record = historyRecord({ fields: head.maskedInput, outcome, info, outputMismatch: [] }, masker);
  await deps.history.settle(head.accountId, head.historyId, record);
  await deps.runs.finish(lease);
  return { outcome, historyId: head.historyId, info };
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
  if (output !== undefined && Buffer.byteLength(JSON.stringify(output)) <= RUN_LIMITS.outputBytes)
    return { isSuccess: true, output };
  return {
    isSuccess: false,
    errorMessage:
      'The steps have ended, but the output is larger than 1 MiB, or nests too deep. Select less of it.',
  };
}

async function masked(
  { outputMasker }: FinishRunDeps,
  { head, ctx }: ActiveRun,
  { output, masker }: { readonly output: JsonObject; readonly masker: Masker },
  fail: (message: string) => Outcome,
): Promise<Outcome> {
  const shown = await outputMasker.mask(output, masker, {
    accountId: head.accountId,
    signal: ctx.signal,
    timeoutMs: MASK_MS,
  });
  return shown === undefined
    ? fail(
        'The steps have ended, but the output could not be searched for secrets in time. Select less of it.',
      )
    : successOf(shown);
}
