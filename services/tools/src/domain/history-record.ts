import { cutMaskedObject, cutObject } from '@fairlead/connector-runtime/outputs/cut-json';
import type { JsonObject } from '@fairlead/connector-model/json';
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

/** A finished execution before masking, without its output; in `fields`, flagged secrets of an object are already masked. */
interface UnmaskedRecord {
  readonly fields: JsonObject | FlaggedFields;
  readonly outcome: Outcome;
  /** Whether its output is already cut for storage. Default: no. */
  readonly isOutputCut?: boolean;
  readonly info: ExecutionInfo;
  readonly outputMismatch: readonly FieldIssue[];
}

/**
 * Converts an execution to its history form: every secret masked, and everything cut so that it fits into pages and documents. Only the
 * stored part of the fields is masked, because masking takes time proportional to size. The output is already masked, because its caller
 * gets it masked, too.
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

/** A failure before the vendor was called; not masked. */
export function uncalledRecord(
  fields: FlaggedFields,
  info: ExecutionInfo,
  errorMessage: string,
): UnmaskedRecord {
  return { fields, outcome: { isSuccess: false, errorMessage }, info, outputMismatch: [] };
}

/** The row of a call that is about to start. */
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

/** A vendor's text for callers and the history: masked and cut. */
export function maskedMessage(text: string, masker: Masker): string {
  return cutText(masker.text(text), MAX_ERROR_MESSAGE_LENGTH);
}
