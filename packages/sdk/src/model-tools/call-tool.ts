import { FairleadConnectionError, FairleadError, FairleadTimeoutError } from '../errors.ts';
import type { Fairlead } from '../fairlead.ts';
import type { ExecuteToolQuery, ExecutionResult } from '../gen/types.ts';
import type { Approvals } from './approvals.ts';
import { explain } from './explain.ts';

/** The tool that a call executes, and the query parameters of the execution. */
export interface CallTarget {
  readonly toolSlug: string;
  readonly applicationSlug: string;
  readonly toolsetId: string | undefined;
  readonly connectionId: number | undefined;
  readonly endUserId: string | undefined;
  readonly schemaProfile: ExecuteToolQuery['schemaProfile'] | undefined;
}

/** The application slug that the API gives workflows. A workflow uses connections, but has none of its own. */
export const WORKFLOW = 'workflow';

/** Above the six minutes that an installation waits for a workflow. */
const WORKFLOW_TIMEOUT_MS = 370_000;

/** How a call ended: with an output, or with words for the model that say why there is none. */
export type CallOutcome =
  | { readonly isSuccess: true; readonly output: ExecutionResult['output']; readonly result: ExecutionResult }
  | {
      readonly isSuccess: false;
      readonly text: string;
      /** The result of the tool, if it was executed. */
      readonly result?: ExecutionResult;
      /** The error of the API, if it refused the call. */
      readonly cause?: unknown;
    };

/** A call that failed. Its message is written for the model. */
export class ToolCallError extends Error {
  override readonly name = 'ToolCallError';
}

/**
 * Executes a tool with the inputs of a model. Anything that a model or its user can act upon is an outcome: a failure at the
 * vendor, a refused call, a pending approval. A call that was approved in the meantime runs. A workflow may take longer than
 * the client's other requests. Rejects with the signal's reason, and with a FairleadError if the client's credential is
 * invalid or its address is not the API: every call would fail likewise.
 */
export async function callTool(
  client: { readonly tools: Pick<Fairlead['tools'], 'execute'> },
  { toolSlug, ...target }: CallTarget,
  { inputs, signal, approvals }: { inputs: unknown; signal: AbortSignal | undefined; approvals: Approvals },
): Promise<CallOutcome> {
  if (!isObject(inputs)) return { isSuccess: false, text: 'The inputs have to be a JSON object.' };
  const call = [toolSlug, target, inputs];
  const options = {
    signal,
    ...(target.applicationSlug === WORKFLOW && { timeoutMs: WORKFLOW_TIMEOUT_MS }),
  };
  const execute = (approvalId: string | undefined): Promise<ExecutionResult> =>
    client.tools.execute(toolSlug, { fields: inputs, ...defined({ ...target, approvalId }) }, options);
  try {
    const known = approvals.find(call);
    const result = await execute(known).catch(async (error: unknown) => {
      const approvalId = awaitedApproval(error);
      if (approvalId === undefined || approvalId === known) throw error;
      approvals.set(call, approvalId);
      // The call may have been approved since another process made it.
      return await execute(approvalId);
    });
    approvals.delete(call);
    return result.isSuccess
      ? { isSuccess: true, output: result.output, result }
      : { isSuccess: false, text: `The tool failed: ${result.errorMessage ?? 'no reason given'}`, result };
  } catch (error) {
    signal?.throwIfAborted();
    if (!isForModel(error)) throw error;
    if (awaitedApproval(error) === undefined) approvals.delete(call);
    return { isSuccess: false, text: explain(error), cause: error };
  }
}

function awaitedApproval(error: unknown): string | undefined {
  return error instanceof FairleadError && error.errorCode === 'APPROVAL_REQUIRED'
    ? error.approvalId
    : undefined;
}

/** Whether the model, or its user, can do something about it. */
function isForModel(error: unknown): error is FairleadError | FairleadConnectionError | FairleadTimeoutError {
  if (error instanceof FairleadError)
    return error.status !== 401 && (error.status >= 400 || error.status < 300);
  return error instanceof FairleadConnectionError || error instanceof FairleadTimeoutError;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members that have a value. */
function defined(query: {
  readonly [Name in keyof ExecuteToolQuery]: ExecuteToolQuery[Name] | undefined;
}): ExecuteToolQuery {
  // The remaining members have the types of the query.
  return Object.fromEntries(
    Object.entries(query).filter(([, value]) => value !== undefined),
  ) as ExecuteToolQuery;
}
