import type { JsonObject } from '@fairlead/connector-model/json';
import type { ToolOutcome } from '@fairlead/connector-runtime/call';
import { jsonBytes, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { z } from 'zod';
import { MAX_OUTCOME_BYTES, MAX_OUTPUT_BYTES } from './channel.ts';
import { plainOutcome } from './messages.ts';
import type { PlainOutcome } from './messages.ts';

/** Encodes an outcome as JSON. An output above MAX_OUTPUT_BYTES becomes a failure that says so. */
export function encodeOutcome(outcome: ToolOutcome): Buffer {
  const { attempts } = outcome;
  if (outcome.isSuccess) {
    const output = jsonBytes(outcome.output);
    return output.length > MAX_OUTPUT_BYTES
      ? failureBytes(tooLarge(output.length), attempts)
      : jsonBytes({ isSuccess: true, attempts, output: new LazyJson(output) });
  }
  const bytes = jsonBytes(outcome);
  return bytes.length > MAX_OUTCOME_BYTES ? failureBytes(tooLarge(bytes.length), attempts) : bytes;
}

/** Decodes an outcome for the tools service. Throws if it is invalid. */
export function decodeOutcome(bytes: Uint8Array): ToolOutcome {
  return outcomeForm.parse(new LazyJson(bytes, 'outcome').parseObject());
}

/** Decodes the result of a task without an output. Anything else becomes a failure. */
export function readPlainOutcome(bytes: Uint8Array): PlainOutcome {
  try {
    return plainOutcome.parse(new LazyJson(bytes, 'outcome').parseObject());
  } catch {
    return { isSuccess: false, errorMessage: 'Its answer cannot be read.' };
  }
}

const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
);

const attempts = z.int().min(0).max(1_000);

const outcomeForm: z.ZodType<ToolOutcome> = z.discriminatedUnion('isSuccess', [
  z.object({ isSuccess: z.literal(true), output: jsonObject, attempts }),
  z.object({
    isSuccess: z.literal(false),
    errorMessage: z.string(),
    attempts,
    isUnauthorized: z.boolean(),
    inputIssues: z.array(z.object({ field: z.string(), issue: z.string() })).exactOptional(),
    isOverloaded: z.literal(true).exactOptional(),
    isWithdrawn: z.literal(true).exactOptional(),
    isToolUnknown: z.literal(true).exactOptional(),
  }),
]);

function failureBytes(errorMessage: string, attemptsMade: number): Buffer {
  return jsonBytes({ isSuccess: false, errorMessage, attempts: attemptsMade, isUnauthorized: false });
}

function tooLarge(bytes: number): string {
  return `The output has ${bytes} bytes; agents send at most ${MAX_OUTPUT_BYTES}. The call was executed; ask for less.`;
}
