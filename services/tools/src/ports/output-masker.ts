import type { JsonObject } from '@fairlead/connector-model/model';
import type { DividedSizes, FilePart } from '@fairlead/evaluation/divided-result';
import type { UnbuiltOutput } from '@fairlead/connector-runtime/outputs/unbuilt-output';
import type { LazyJson, LazyObject, LazyValue } from '@fairlead/service-kit/json/lazy-json';
import type { Masker } from '@fairlead/connector-runtime/value-masking';

/** An output as callers get it. */
export interface MaskedOutput {
  /** The value of a large output is built when it is first read. */
  readonly value: JsonObject;
  /** The same; undefined: it is small. */
  readonly json: LazyJson | undefined;
}

/** The result for an output that was not built. */
export type FinishedOutput =
  | {
      readonly kind: 'finished';
      readonly answer: LazyJson;
      readonly stored: LazyJson;
      /** The texts that the schema flags. */
      readonly secrets: readonly string[];
      /** Its body is nothing but bytes; then all of it is returned. */
      readonly isBinary: boolean;
      /** The files that the answer was divided into. It is the result of an MCP server then, whatever the output is. */
      readonly files: readonly FilePart[];
    }
  | { readonly kind: 'failed'; readonly message: string };

/** Masks what callers get, in a worker of the account if it is large. */
export interface OutputMasker {
  /** The texts that the schema flags in the fields of a call, as flaggedSecrets has them; undefined as for `mask`. */
  secretsOf(
    schema: JsonObject,
    fields: LazyObject,
    o: { readonly accountId: string; readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<readonly string[] | undefined>;
  /** The value with every secret of the masker masked; undefined if that could not be done in time. */
  mask(
    value: { readonly [name: string]: LazyValue },
    masker: Masker,
    o: { readonly accountId: string; readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<MaskedOutput | undefined>;
  /** The answer and the stored form of an output that is not built; undefined as for `mask`. */
  finish(
    output: UnbuiltOutput,
    what: {
      readonly secrets: readonly string[];
      /** The schema that flags parts of it as secret; null: none does. */
      readonly flags: JsonObject | null;
      /** The paths to what is returned; null: all. */
      readonly parts: readonly string[] | null;
      readonly maxStoredBytes: number;
      /** It is the result of an MCP server: all of it is the answer, and its output is stored. Default: no. */
      readonly isMcpResult?: boolean;
      /** The caller is an MCP client, for whom a larger answer is divided. Default: none is. */
      readonly division?: DividedSizes | undefined;
    },
    o: { readonly accountId: string; readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<FinishedOutput | undefined>;
}
