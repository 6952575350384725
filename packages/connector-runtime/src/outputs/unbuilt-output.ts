import type { JsonObject } from '@fairlead/connector-model/json';
import type { EgressResponse } from '@fairlead/egress/egress';
import { isBinaryBody } from '../http/body.ts';
import { objectAt, rawOutput } from '../http/response.ts';
import { MAX_OUTPUT_BYTES, withinOutputLimit } from '../output-limit.ts';
import { outputOfMcpResult } from './mcp-result.ts';

/** Bytes above which an output is parsed in a worker, because processing it takes several times as long as receiving it. */
export const MAX_BUILT_BYTES = 128 * 1024;

/** The form of an output's bytes, and the maximum bytes of its JSON. Default: MAX_OUTPUT_BYTES. */
export type OutputShape = OutputForm & { readonly maxBytes?: number };

type OutputForm =
  /** The bytes are the output's JSON. */
  | { readonly kind: 'output' }
  /** The bytes are an MCP server's result, which contains the output (mcp-result.ts). */
  | { readonly kind: 'mcpResult' }
  /** The bytes are a response body, which is returned with its status and headers. */
  | ({ readonly kind: 'response' } & Pick<EgressResponse, 'status' | 'headers'>)
  /** The bytes are a response body, in which a pointer leads to the output. */
  | ({ readonly kind: 'part'; readonly pointer: string } & Pick<EgressResponse, 'headers'>);

/**
 * An unparsed output. It is not a LazyJson: its bytes are a vendor's body, which may not be JSON, and its shape says
 * how they become the output.
 */
export class UnbuiltOutput {
  readonly shape: OutputShape;
  readonly bytes: Uint8Array;

  constructor(shape: OutputShape, bytes: Uint8Array) {
    this.shape = shape;
    this.bytes = bytes;
  }

  /** The same output with another limit. */
  within(maxBytes: number): UnbuiltOutput {
    return new UnbuiltOutput({ ...this.shape, maxBytes }, this.bytes);
  }
}

/**
 * The unparsed output of a response with a large text body; undefined for other responses. Binary bodies are
 * converted at once.
 */
export function unbuiltResponse(
  { status, headers, body }: EgressResponse,
  pointer?: string,
): UnbuiltOutput | undefined {
  if (body.byteLength <= MAX_BUILT_BYTES || isBinaryBody(body, headers['content-type'])) return undefined;
  return new UnbuiltOutput(
    pointer === undefined ? { kind: 'response', status, headers } : { kind: 'part', headers, pointer },
    body,
  );
}

/** Parses the output. Throws CallFailure above a limit. */
export function builtOutput(output: JsonObject | UnbuiltOutput): JsonObject {
  if (!(output instanceof UnbuiltOutput)) return output;
  return withinOutputLimit(build(output), output.shape.maxBytes ?? MAX_OUTPUT_BYTES);
}

function build({ shape, bytes }: UnbuiltOutput): JsonObject {
  switch (shape.kind) {
    case 'output':
      // The worker that wrote these bytes returns objects.
      return JSON.parse(Buffer.from(bytes).toString()) as JsonObject;
    case 'mcpResult':
      // The worker that wrote these bytes writes objects.
      return outputOfMcpResult(JSON.parse(Buffer.from(bytes).toString()) as JsonObject);
    case 'response':
      return rawOutput({ ...shape, body: bytes });
    case 'part':
      return objectAt({ ...shape, body: bytes }, shape.pointer);
  }
}
