import type { JsonObject } from '@fairlead/connector-model/json';
import { CallFailure } from './failure.ts';
import { requireJsonLimits } from './json-limits.ts';

/** Largest output of a tool, in bytes of JSON. */
export const MAX_OUTPUT_BYTES = 1024 * 1024;
/**
 * Largest result of an MCP server for another request: a resource of 5 MiB has 6.7 MiB in base64. Also the largest
 * output for an MCP client, which gets a file instead of an output above MAX_OUTPUT_BYTES.
 */
export const MAX_MCP_OUTPUT_BYTES = 8 * 1024 * 1024;

/** Returns the output. Throws CallFailure above the limit, because a cut output could be mistaken for a complete one. */
export function withinOutputLimit(output: JsonObject, maxBytes = MAX_OUTPUT_BYTES): JsonObject {
  requireOutputLimit(output, maxBytes);
  return output;
}

/** Throws like withinOutputLimit. Returns an upper bound for the bytes of the output's JSON text. */
export function requireOutputLimit(output: JsonObject, maxBytes: number): number {
  // The depth is checked first, because serialising recurses. Most outputs are so small that they need not be
  // serialised.
  const mostBytes = requireJsonLimits(output, 'The result');
  if (mostBytes > maxBytes && Buffer.byteLength(JSON.stringify(output)) > maxBytes) {
    throw new CallFailure(
      `The result is larger than ${maxBytes / 1024 / 1024} MiB. Request less data: use a smaller top, a filter or fewer fields.`,
    );
  }
  return mostBytes;
}
