import { cutMaskedObject, cutObject } from '@fairlead/connector-runtime/outputs/cut-json';
import type { JsonObject } from '@fairlead/connector-model/model';
import { FlaggedFields } from '@fairlead/connector-runtime/secret-fields/secret-fields';
import type { FieldIssue } from '@fairlead/errors/api-error';
import type { CheckedCall } from './checked-call.ts';
import type { ExecutionInfo, ExecutionRecord, Outcome } from './execution.ts';
import type { Masker } from '@fairlead/connector-runtime/value-masking';
import { cutText } from './size.ts';

/** Maximum size of `fields` in a row, in bytes of JSON. */
export const MAX_STORED_FIELDS_BYTES = 64 * 1_024;
/** Maximum size of `output` in a row, in bytes of JSON. */
export const MAX_STORED_OUTPUT_BYTES = 256 * 1_024;
/** Maximum length of a stored or returned error message, in characters. */
const MAX_ERROR_MESSAGE_LENGTH = 8_192;
const MAX_MISMATCHES = 20;

/** A finished execution before masking, but for its output; `fields` that are an object are already masked where their schema flags a secret. */
interface UnmaskedRecord {
  readonly fields: JsonObject | FlaggedFields;
  readonly outcome: Outcome;
  /** Whether its output is what is kept of it already. Default: no. */
  readonly isOutputCut?: boolean;
  readonly info: ExecutionInfo;
  readonly outputMismatch: readonly FieldIssue[];
}

/**
 * The history's form of an execution: every secret masked, and everything cut so that a page can be sent and a document
 * stored. Only the kept part of the fields is masked, because masking takes time in proportion to their size. The output is
 * already masked: its caller gets it masked too.
 */
export function historyRecord(record: UnmaskedRecord, masker: Masker): ExecutionRecord {
  return {
    fields:
      record.fields instanceof FlaggedFields
        ? record.fields.cut(MAX_STORED_FIELDS_BYTES, masker)
        : cutMaskedObject(record.fields, MAX_STORED_FIELDS_BYTES, masker),
    outcome: record.outcome.isSuccess
      ? keptSuccess(record.outcome, record.isOutputCut)
      : { isSuccess: false, errorMessage: maskedMessage(record.outcome.errorMessage, masker) },
    info: record.info,
    outputMismatch: record.outputMismatch.slice(0, MAX_MISMATCHES).map(({ field, issue }) => ({
      field: maskedMessage(field, masker),
      issue: maskedMessage(issue, masker),
    })),
  };
}

/** A failure whose vendor was not called, before masking. */
export function uncalledRecord(
  fields: FlaggedFields,
  info: ExecutionInfo,
  errorMessage: string,
): UnmaskedRecord {
  return { fields, outcome: { isSuccess: false, errorMessage }, info, outputMismatch: [] };
}

/** The row of a call as it begins. */
export function startedRecord(
  { maskedFields: { shown }, info }: Pick<CheckedCall, 'maskedFields' | 'info'>,
  masker: Masker,
): ExecutionRecord {
  const attempts = 0;
  return historyRecord(uncalledRecord(shown, info(attempts), ''), masker);
}

function keptSuccess(outcome: Extract<Outcome, { readonly isSuccess: true }>, isCut = false): Outcome {
  return isCut ? outcome : { isSuccess: true, output: cutObject(outcome.output, MAX_STORED_OUTPUT_BYTES) };
}

/** A vendor's text in the form for callers and the history: masked and cut. */
export function maskedMessage(text: string, masker: Masker): string {
  return cutText(masker.text(text), MAX_ERROR_MESSAGE_LENGTH);
}
