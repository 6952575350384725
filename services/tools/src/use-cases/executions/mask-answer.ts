import type { JsonObject } from '@fairlead/connector-model/json';
import { withoutBytes } from '@fairlead/connector-runtime/outputs/binary-parts';
import { demandsInput, outputOfMcpResult, withOutput } from '@fairlead/connector-runtime/outputs/mcp-result';
import { UnbuiltOutput } from '@fairlead/connector-runtime/outputs/unbuilt-output';
import { plainOutput } from '@fairlead/connector-runtime/outputs/cut-json';
import { flaggedSchema } from '@fairlead/connector-runtime/secret-fields/flagged-schema';
import { maskSecretFields } from '@fairlead/connector-runtime/secret-fields/secret-fields';
import type { Masker } from '@fairlead/connector-runtime/value-masking';
import type { FieldIssue } from '@fairlead/errors/api-error';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CheckedCall, VendorAnswer } from '../../domain/checked-call.ts';
import { maskMs } from '../../domain/call-time.ts';
import { DIVISION } from '../../domain/division.ts';
import { largeSuccess, NOT_MASKED } from '../../domain/execution.ts';
import type { ExecutionRecord, Outcome } from '../../domain/execution.ts';
import { historyRecord, maskedMessage, MAX_STORED_OUTPUT_BYTES } from '../../domain/history-record.ts';
import { maskerOf } from '../../domain/masking.ts';
import { projectOutcome } from '../../domain/output-fields.ts';
import { plainOutcome } from '../../domain/size.ts';
import type { Target } from '../../domain/target.ts';
import type { OutputMasker } from '../../ports/output-masker.ts';
import type { SchemaValidator } from '../../ports/schema-validator.ts';
import { maskOutput } from './mask-output.ts';
import { keepBinaryOutput } from '../files/keep-binary-output.ts';
import type { KeepBinaryOutputDeps } from '../files/keep-binary-output.ts';
import { linkFiles } from '../files/link-files.ts';

export interface MaskAnswerDeps extends KeepBinaryOutputDeps {
  readonly schemas: SchemaValidator;
  readonly outputMasker: OutputMasker;
}

/** A call that its vendor has answered. */
interface AnsweredCall extends Pick<
  CheckedCall,
  'maskedFields' | 'outputFields' | 'takesMcpResult' | 'takesFiles' | 'until' | 'info'
> {
  readonly target: Pick<Target, 'tool'>;
}

/** An output for the caller and for the history. */
interface OutcomeViews {
  readonly returned: Outcome;
  readonly kept: Outcome;
  /** Whether `kept` was cut. */
  readonly isCut?: boolean;
  /** Whether the output of `returned` is the complete result of an MCP server. */
  readonly isMcpResult?: boolean;
  readonly outputMismatch: readonly FieldIssue[];
  /** Masks every secret that the output may repeat, and every text that its schema flags. */
  readonly masker: Masker;
}

/** Time limits for validating an output; the minimum is taken from the time for the response. */
const MAX_OUTPUT_CHECK_MS = 2_000;
const MIN_OUTPUT_CHECK_MS = 100;
/** Without preview, because the output of this MCP client's call is binary. */
const NOT_STORED =
  'The call was made, but its result is larger than 1 MiB and could not be stored as a file.';

/** Masks a vendor's answer; returns the call's row and result. */
export async function maskAnswer(
  deps: MaskAnswerDeps,
  ctx: RequestContext,
  call: AnsweredCall,
  answer: VendorAnswer,
) {
  const info = call.info(answer.attempts);
  const views = await maskOutcome(deps, ctx, call, answer);
  const { returned, kept, isCut, isMcpResult, outputMismatch, masker } = views;
  const { shown: fields } = call.maskedFields;
  const unmasked = { fields, outcome: kept, isOutputCut: isCut ?? false, info, outputMismatch };
  const record: ExecutionRecord = historyRecord(unmasked, masker);
  if (outputMismatch.length > 0) {
    const paths = record.outputMismatch.map(({ field }) => field);
    ctx.log.warn({ toolSlug: info.toolSlug, fields: paths }, 'output does not match its schema');
  }
  return { record, result: { outcome: returned, info, isMcpResult } };
}

async function maskOutcome(
  deps: MaskAnswerDeps,
  ctx: RequestContext,
  call: AnsweredCall,
  answer: VendorAnswer,
): Promise<OutcomeViews> {
  const { outcome } = answer;
  if (!outcome.isSuccess) return await maskFailure(deps, ctx, call, { ...answer, outcome });
  return outcome.unbuilt === undefined
    ? await maskInPlace(deps, ctx, call, answer)
    : await maskInWorker(deps, ctx, call, { ...answer, unbuilt: outcome.unbuilt });
}

function failed(message: string, masker: Masker): OutcomeViews {
  const outcome: Outcome = failureOf(message, masker);
  return { returned: outcome, kept: outcome, outputMismatch: [], masker };
}

/** A failure, with the details for MCP clients. */
async function maskFailure(
  deps: MaskAnswerDeps,
  ctx: RequestContext,
  call: AnsweredCall,
  answer: VendorAnswer & { readonly outcome: Extract<Outcome, { readonly isSuccess: false }> },
): Promise<OutcomeViews> {
  const { errorMessage, mcpResult, mcpError } = answer.outcome;
  const views = failed(errorMessage, answer.masker);
  const secrets = [...answer.secrets, ...call.maskedFields.secrets];
  if (mcpError !== undefined) {
    const masked = maskerOf(answer.masker, secrets).object(mcpError);
    return { ...views, returned: { ...failureOf(errorMessage, answer.masker), mcpError: masked } };
  }
  if (mcpResult === undefined || plainOutput(mcpResult) === undefined) return views;
  const { outputSchema } = call.target.tool.definition;
  const own = maskSecretFields(outputSchema, outputOfMcpResult(mcpResult));
  const masker = maskerOf(answer.masker, [...secrets, ...own.secrets]);
  const result = await maskOutput(deps, ctx, call.until, withOutput(mcpResult, own.masked), masker);
  if (!result.isSuccess) return views;
  return { ...views, returned: { ...failureOf(errorMessage, answer.masker), mcpResult: result.output } };
}

function failureOf(message: string, masker: Masker) {
  return { isSuccess: false, errorMessage: maskedMessage(message, masker) } as const;
}

async function maskInPlace(
  deps: MaskAnswerDeps,
  ctx: RequestContext,
  call: AnsweredCall,
  answer: VendorAnswer,
): Promise<OutcomeViews> {
  const received = plainOutcome(answer.outcome);
  if (!received.isSuccess) return failed(received.errorMessage, answer.masker);
  const isMcp = call.takesMcpResult === true;
  const own = isMcp ? outputOfMcpResult(received.output) : received.output;
  const outputMismatch = isMcp && demandsInput(own) ? [] : await mismatchOf(deps, ctx, call, own);
  // Masks the answer like the history, including parts that the output schema flags (row completion.applications-and-tools.61).
  const output = maskSecretFields(call.target.tool.definition.outputSchema, own);
  const masker = maskerOf(answer.masker, [
    ...answer.secrets,
    ...call.maskedFields.secrets,
    ...output.secrets,
  ]);
  const whole = isMcp ? withOutput(received.output, output.masked) : output.masked;
  const outcome = await maskOutput(deps, ctx, call.until, whole, masker);
  const views = { returned: outcome, kept: outcome, outputMismatch, masker };
  if (isMcp && outcome.isSuccess) {
    const kept = { isSuccess: true, output: withoutBytes(outputOfMcpResult(outcome.output)) } as const;
    return { ...views, kept, isMcpResult: true };
  }
  return outcome.isSuccess
    ? await withFiles(deps, ctx, call, views, received.output)
    : projected(call, views);
}

/** The answer to a call with a large output, which a worker processes. */
async function maskInWorker(
  deps: MaskAnswerDeps,
  ctx: RequestContext,
  call: AnsweredCall,
  answer: VendorAnswer & { readonly unbuilt: UnbuiltOutput },
): Promise<OutcomeViews> {
  const { outputSchema } = call.target.tool.definition;
  const isMcp = call.takesMcpResult === true;
  const secrets = [...answer.secrets, ...call.maskedFields.secrets];
  const masker = maskerOf(answer.masker, secrets);
  const finished = await deps.outputMasker.finish(
    answer.unbuilt,
    {
      secrets: masker.secrets,
      flags: flaggedSchema(outputSchema) === 'nothing' ? null : outputSchema,
      parts: call.outputFields ?? null,
      maxStoredBytes: MAX_STORED_OUTPUT_BYTES,
      isMcpResult: isMcp,
      division: call.takesFiles === true ? DIVISION : undefined,
    },
    { accountId: accountOf(ctx), signal: ctx.signal, timeoutMs: maskMs(call.until, Date.now()) },
  );
  if (finished === undefined) return { returned: NOT_MASKED, kept: NOT_MASKED, outputMismatch: [], masker };
  if (finished.kind === 'failed') return failed(finished.message, masker);
  const { shape, bytes } = answer.unbuilt;
  const own = isMcp ? new UnbuiltOutput({ ...shape, kind: 'mcpResult' }, bytes) : answer.unbuilt;
  const outputMismatch = await mismatchOf(deps, ctx, call, own);
  const views = {
    returned: largeSuccess(finished.answer),
    kept: largeSuccess(finished.stored),
    isCut: true,
    isMcpResult: isMcp,
    outputMismatch,
    masker: maskerOf(masker, [...secrets, ...finished.secrets]),
  };
  if (finished.files.length > 0) {
    const { output: preview } = views.returned;
    const fits = async (output: JsonObject): Promise<boolean> =>
      outputMismatch.length > 0 || (await mismatchOf(deps, ctx, call, output)).length === 0;
    const output = await linkFiles(deps, ctx, { preview, files: finished.files, fits });
    return { ...views, returned: { isSuccess: true, output }, isMcpResult: true };
  }
  if (!finished.isBinary) return views;
  const filed = await withFiles(deps, ctx, call, views, views.returned.output);
  const isStored = filed.kept !== views.kept;
  return isStored || finished.answer.bytes.length <= DIVISION.maxBytes ? filed : failed(NOT_STORED, masker);
}

/** With files in place of binary parts. */
async function withFiles(
  deps: MaskAnswerDeps,
  ctx: RequestContext,
  call: AnsweredCall,
  views: OutcomeViews,
  received: JsonObject,
): Promise<OutcomeViews> {
  const { returned } = views;
  if (!returned.isSuccess) return views;
  const { output } = returned;
  const { execution } = call.target.tool.definition;
  const isMcp = execution.type === 'mcp' || (execution.type === 'package' && execution.isMcp === true);
  const { answer, stored } = await keepBinaryOutput(deps, ctx, { received, output, isMcp });
  if (answer === output) return projected(call, views);
  return projected(call, {
    ...views,
    returned: { isSuccess: true, output: answer },
    kept: { isSuccess: true, output: stored },
    isCut: false,
  });
}

function projected({ outputFields }: AnsweredCall, views: OutcomeViews): OutcomeViews {
  return { ...views, returned: projectOutcome(views.returned, outputFields) };
}

/** The schema issues of an output. If it cannot be validated in time, it passes, because the vendor was already called. */
async function mismatchOf(
  deps: Pick<MaskAnswerDeps, 'schemas'>,
  ctx: RequestContext,
  { target, until }: AnsweredCall,
  output: JsonObject | UnbuiltOutput,
): Promise<readonly FieldIssue[]> {
  const { definition, isPlatform } = target.tool;
  const check = await deps.schemas.check(definition.outputSchema, output, {
    root: 'output',
    isPlatform,
    accountId: accountOf(ctx),
    signal: ctx.signal,
    timeoutMs: Math.max(MIN_OUTPUT_CHECK_MS, Math.min(MAX_OUTPUT_CHECK_MS, until - Date.now())),
  });
  if (check.kind === 'checked') return check.issues;
  if (check.kind !== 'unchecked')
    ctx.log.warn({ toolSlug: definition.toolSlug, reason: check.kind }, 'output was not checked');
  return [];
}
