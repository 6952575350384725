import type { JsonObject } from '@fairlead/connector-model/model';
import type { FieldIssue } from '@fairlead/errors/api-error';
import type { Execution, ExecutionInfo, ExecutionRecord, Outcome } from './execution.ts';
import type { Masker } from './masking.ts';
import { cutObject, cutText } from './size.ts';

/** What a row keeps of `fields`, in bytes of JSON. */
export const MAX_STORED_FIELDS_BYTES = 64 * 1_024;
/** What a row keeps of `output`, in bytes of JSON. */
export const MAX_STORED_OUTPUT_BYTES = 256 * 1_024;
/** What is kept and answered of an error message, in characters. */
const MAX_ERROR_MESSAGE_LENGTH = 8_192;
const MAX_MISMATCHES = 20;

/** An ended execution before masking; `fields` and `output` are already masked where their schemas flag a secret. */
interface UnmaskedRecord {
  readonly fields: JsonObject;
  readonly outcome: Outcome;
  readonly info: ExecutionInfo;
  readonly outputMismatch: readonly FieldIssue[];
}

/**
 * The history's form of an execution: every secret masked, then everything cut to a size of which a page can be answered
 * and a document stored. Masked first: a secret cut in two would not be recognised.
 */
export function historyRecord(record: UnmaskedRecord, masker: Masker): ExecutionRecord {
  return {
    fields: cutObject(masker.object(record.fields), MAX_STORED_FIELDS_BYTES),
    outcome: record.outcome.isSuccess
      ? { isSuccess: true, output: cutObject(masker.object(record.outcome.output), MAX_STORED_OUTPUT_BYTES) }
      : { isSuccess: false, errorMessage: answeredMessage(record.outcome.errorMessage, masker) },
    info: record.info,
    outputMismatch: record.outputMismatch.slice(0, MAX_MISMATCHES).map(({ field, issue }) => ({
      field: answeredMessage(field, masker),
      issue: answeredMessage(issue, masker),
    })),
  };
}

/** A vendor's text as callers and the history may see it. */
export function answeredMessage(text: string, masker: Masker): string {
  return cutText(masker.text(text), MAX_ERROR_MESSAGE_LENGTH);
}

/**
 * Rows that fit one answer of about `maxBytes` of JSON together: as they are where they fit, else `fields` and `output` cut
 * to an equal share each.
 */
export function fitPage(rows: readonly Execution[], maxBytes: number): readonly Execution[] {
  const total = rows.reduce(
    (bytes, { fields, outcome }) => bytes + Buffer.byteLength(JSON.stringify([fields, outcome])),
    0,
  );
  if (total <= maxBytes) return rows;
  const share = Math.floor(maxBytes / rows.length / 2);
  return rows.map((row) => ({
    ...row,
    fields: cutObject(row.fields, share),
    outcome: row.outcome.isSuccess
      ? { isSuccess: true, output: cutObject(row.outcome.output, share) }
      : row.outcome,
  }));
}
