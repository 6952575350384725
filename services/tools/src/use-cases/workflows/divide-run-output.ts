import type { JsonObject } from '@fairlead/connector-model/json';
import { UnbuiltOutput } from '@fairlead/connector-runtime/outputs/unbuilt-output';
import { DIVISION } from '../../domain/division.ts';
import { largeSuccess } from '../../domain/execution.ts';
import type { Outcome } from '../../domain/execution.ts';
import { MAX_STORED_OUTPUT_BYTES } from '../../domain/history-record.ts';
import { RUN_LIMITS } from '../../domain/workflow-run.ts';
import type { OutputMasker } from '../../ports/output-masker.ts';
import type { KeepBinaryOutputDeps } from '../files/keep-binary-output.ts';
import { linkFiles } from '../files/link-files.ts';
import type { ActiveRun } from './run-steps.ts';

export interface DivideRunOutputDeps extends KeepBinaryOutputDeps {
  readonly outputMasker: Pick<OutputMasker, 'finish'>;
}

/** The masked output of a run, for its caller and for the history. */
interface DividedOutput {
  readonly outcome: Outcome;
  readonly kept: Outcome;
}

/**
 * Converts a run's large output to an MCP result: its beginning, and a link to a file with all of it. Undefined if it could not be masked
 * in time.
 */
export async function divideRunOutput(
  deps: DivideRunOutputDeps,
  { head, ctx }: Pick<ActiveRun, 'head' | 'ctx'>,
  output: JsonObject,
  { secrets, timeoutMs }: { readonly secrets: readonly string[]; readonly timeoutMs: number },
): Promise<DividedOutput | undefined> {
  const shape = { kind: 'output', maxBytes: RUN_LIMITS.filedOutputBytes } as const;
  const unbuilt = new UnbuiltOutput(shape, Buffer.from(JSON.stringify(output)));
  const what = { secrets, flags: null, parts: null, maxStoredBytes: MAX_STORED_OUTPUT_BYTES };
  const o = { accountId: head.accountId, signal: ctx.signal, timeoutMs };
  const finished = await deps.outputMasker.finish(unbuilt, { ...what, division: DIVISION }, o);
  if (finished?.kind !== 'finished' || finished.files.length === 0) return undefined;
  const { output: preview } = largeSuccess(finished.answer);
  // A workflow has no output schema.
  const fits = (): Promise<boolean> => Promise.resolve(true);
  const result = await linkFiles(deps, ctx, { preview, files: finished.files, fits });
  return { outcome: { isSuccess: true, output: result }, kept: largeSuccess(finished.stored) };
}
