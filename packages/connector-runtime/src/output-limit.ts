import type { JsonObject } from '@fairlead/connector-model/model';
import { CallFailure } from './failure.ts';

/** The most that a tool may answer, as JSON text in UTF-8. */
export const MAX_OUTPUT_BYTES = 1024 * 1024;

/** The output itself, or CallFailure when it is above the limit: half an answer would be taken for a whole one. */
export function withinOutputLimit(output: JsonObject): JsonObject {
  if (Buffer.byteLength(JSON.stringify(output)) > MAX_OUTPUT_BYTES) {
    throw new CallFailure(
      'The result is larger than 1 MiB. Ask for less: a smaller top, a filter, or fewer fields.',
    );
  }
  return output;
}
