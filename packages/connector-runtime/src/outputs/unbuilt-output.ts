import type { JsonObject } from '@fairlead/connector-model/model';
import type { EgressResponse } from '@fairlead/service-kit/egress/egress';
import { isBinaryBody } from '../http/body.ts';
import { objectAt, rawOutput } from '../http/response.ts';
import { MAX_OUTPUT_BYTES, withinOutputLimit } from '../output-limit.ts';
import { outputOfMcpResult } from './mcp-result.ts';

/** A larger output is built in a worker: what is done with it in a service takes a multiple of the time to read it. */
export const MAX_BUILT_BYTES = 128 * 1024;

/** The meaning of an output's bytes, and the most bytes of JSON that it may have. Default: MAX_OUTPUT_BYTES. */
export type OutputShape = OutputForm & { readonly maxBytes?: number };

type OutputForm =
  /** Its own JSON. */
  | { readonly kind: 'output' }
  /** The result of an MCP server, of which the output is a part (mcp-result.ts). */
  | { readonly kind: 'mcpResult' }
  /** The body of a response, which is returned with its status and headers. */
  | ({ readonly kind: 'response' } & Pick<EgressResponse, 'status' | 'headers'>)
  /** The body of a response, of which a pointer names the output. */
  | ({ readonly kind: 'part'; readonly pointer: string } & Pick<EgressResponse, 'headers'>);

/**
 * An output of which nothing is built. It is no LazyJson: its bytes are a vendor's body, which need not be JSON, and its shape says how
 * the output is made of them.
 */
export class UnbuiltOutput {
  readonly shape: OutputShape;
  readonly bytes: Uint8Array;

  constructor(shape: OutputShape, bytes: Uint8Array) {
    this.shape = shape;
    this.bytes = bytes;
  }

  /** The same output under another limit. */
  within(maxBytes: number): UnbuiltOutput {
    return new UnbuiltOutput({ ...this.shape, maxBytes }, this.bytes);
  }
}

/** The output of a response whose body is large text; undefined for any other: bytes that are no text are built at once. */
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

/** The output, built. Throws CallFailure above a limit. */
export function builtOutput(output: JsonObject | UnbuiltOutput): JsonObject {
  if (!(output instanceof UnbuiltOutput)) return output;
  return withinOutputLimit(build(output), output.shape.maxBytes ?? MAX_OUTPUT_BYTES);
}

function build({ shape, bytes }: UnbuiltOutput): JsonObject {
  switch (shape.kind) {
    case 'output':
      // The worker that wrote it returns objects.
      return JSON.parse(Buffer.from(bytes).toString()) as JsonObject;
    case 'mcpResult':
      // As above.
      return outputOfMcpResult(JSON.parse(Buffer.from(bytes).toString()) as JsonObject);
    case 'response':
      return rawOutput({ ...shape, body: bytes });
    case 'part':
      return objectAt({ ...shape, body: bytes }, shape.pointer);
  }
}
