import type { JsonObject } from '@fairlead/connector-model/model';
import { CallFailure } from './failure.ts';
import { requireJsonLimits } from './json-limits.ts';

/** The largest output of a tool, as JSON text in UTF-8. */
export const MAX_OUTPUT_BYTES = 1024 * 1024;
/**
 * The largest result of another request to an MCP server: a resource of 5 MiB is 6.7 MiB in base64. It is also the largest output of a call for
 * an MCP client, who gets a file in place of an output above MAX_OUTPUT_BYTES.
 */
export const MAX_MCP_OUTPUT_BYTES = 8 * 1024 * 1024;

/** Returns the output; throws CallFailure above a limit, because a cut output could be mistaken for a whole one. */
export function withinOutputLimit(output: JsonObject, maxBytes = MAX_OUTPUT_BYTES): JsonObject {
  requireOutputLimit(output, maxBytes);
  return output;
}

/** Throws as withinOutputLimit does. Returns the most bytes that the JSON text of the output may have. */
export function requireOutputLimit(output: JsonObject, maxBytes: number): number {
  // Checked first, because serialising recurses; most outputs are so small that they need not be serialised.
  const mostBytes = requireJsonLimits(output, 'The result');
  if (mostBytes > maxBytes && Buffer.byteLength(JSON.stringify(output)) > maxBytes) {
    throw new CallFailure(
      `The result is larger than ${maxBytes / 1024 / 1024} MiB. Request less data: use a smaller top, a filter or fewer fields.`,
    );
  }
  return mostBytes;
}
