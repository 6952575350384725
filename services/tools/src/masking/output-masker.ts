import type { JsonObject } from '@fairlead/connector-model/json';
import { flaggedSchema } from '@fairlead/connector-runtime/secret-fields/flagged-schema';
import { flaggedSecrets } from '@fairlead/connector-runtime/secret-fields/secret-fields';
import type { EvaluationWorkers } from '@fairlead/evaluation/evaluation-workers';
import { jsonPieces, LazyJson, parsed } from '@fairlead/service-kit/json/lazy-json';
import type { MaskedOutput, OutputMasker } from '../ports/output-masker.ts';

/** Largest value that is masked synchronously, in characters of JSON: the worst case takes 20 ms of CPU time. */
const MAX_LENGTH_IN_PLACE = 64 * 1024;

/** Masks small values synchronously and large ones in a worker of the account, because callers and vendors control the size. */
export function createOutputMasker(
  workers: Pick<EvaluationWorkers, 'mask' | 'finish' | 'collectSecrets'>,
): OutputMasker {
  return {
    async secretsOf(schema, fields, { accountId, ...o }) {
      const unparsed = Object.values(fields).map((value) =>
        value instanceof LazyJson ? value.bytes.length : 0,
      );
      return sum(unparsed) > MAX_LENGTH_IN_PLACE && flaggedSchema(schema) !== 'nothing'
        ? await workers.collectSecrets(accountId, schema, fields, o)
        : flaggedSecrets(schema, fields);
    },
    finish: (output, what, { accountId, ...o }) => workers.finish(accountId, output, what, o),
    async mask(value, masker, { accountId, signal, timeoutMs }) {
      const pieces = jsonPieces(value);
      const isText = typeof pieces === 'string';
      if ((isText ? pieces.length : sum(pieces.map(({ length }) => length))) <= MAX_LENGTH_IN_PLACE)
        return { value: masker.object(parsed(value) as JsonObject), json: undefined };
      const json = new LazyJson(isText ? Buffer.from(pieces) : Buffer.concat(pieces));
      const masked = await workers.mask(accountId, json, masker.secrets, { signal, timeoutMs });
      if (masked === undefined) return undefined;
      // Without unparsed parts it is already parsed.
      return masked === json && isText ? { value: value as JsonObject, json } : builtLater(masked);
    },
  };
}

/** Parsed lazily: it costs as much as masking, and most callers only get the JSON. */
function builtLater(json: LazyJson): MaskedOutput {
  let value: JsonObject | undefined;
  return {
    json,
    get value() {
      // The workers return an object.
      value ??= JSON.parse(json.text) as JsonObject;
      return value;
    },
  };
}

function sum(lengths: readonly number[]): number {
  return lengths.reduce((total, length) => total + length, 0);
}
