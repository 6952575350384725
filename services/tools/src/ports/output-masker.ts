import type { JsonObject } from '@fairlead/connector-model/json';
import type { DividedSizes, FilePart } from '@fairlead/evaluation/divided-result';
import type { UnbuiltOutput } from '@fairlead/connector-runtime/outputs/unbuilt-output';
import type { LazyJson, LazyObject, LazyValue } from '@fairlead/service-kit/json/lazy-json';
import type { Masker } from '@fairlead/connector-runtime/value-masking';

export interface MaskedOutput {
  /** The parsed value; a large output is parsed when first read. */
  readonly value: JsonObject;
  /** The JSON of a large output; undefined: it is small. */
  readonly json: LazyJson | undefined;
}

/** The result for an unparsed output. */
export type FinishedOutput =
  | {
      readonly kind: 'finished';
      readonly answer: LazyJson;
      readonly stored: LazyJson;
      /** Texts that the schema flags as secret. */
      readonly secrets: readonly string[];
      /** Whether its body is binary only; then all of it is returned. */
      readonly isBinary: boolean;
      /** The files into which the answer was divided; the answer is then an MCP result. */
      readonly files: readonly FilePart[];
    }
  | { readonly kind: 'failed'; readonly message: string };

/** Masks secrets; large values in a worker of the account. */
export interface OutputMasker {
  /** The texts that the schema flags in the fields of a call (flaggedSecrets); undefined as for `mask`. */
  secretsOf(
    schema: JsonObject,
    fields: LazyObject,
    o: { readonly accountId: string; readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<readonly string[] | undefined>;
  /** The value with the masker's secrets masked; undefined if it could not be done in time. */
  mask(
    value: { readonly [name: string]: LazyValue },
    masker: Masker,
    o: { readonly accountId: string; readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<MaskedOutput | undefined>;
  /** Answer and stored form of an unparsed output; undefined as for `mask`. */
  finish(
    output: UnbuiltOutput,
    what: {
      readonly secrets: readonly string[];
      /** The schema that flags secret parts; null: none. */
      readonly flags: JsonObject | null;
      /** Paths of the requested parts; null: all. */
      readonly parts: readonly string[] | null;
      readonly maxStoredBytes: number;
      /** The output is an MCP result: the answer is all of it. Default: no. */
      readonly isMcpResult?: boolean;
      /** For MCP clients: divides a larger answer into files. Default: never. */
      readonly division?: DividedSizes | undefined;
    },
    o: { readonly accountId: string; readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<FinishedOutput | undefined>;
}
