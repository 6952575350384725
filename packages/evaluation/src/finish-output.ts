import { isDeeperThan } from '@fairlead/connector-model/limits';
import type { JsonObject } from '@fairlead/connector-model/json';
import { CallFailure } from '@fairlead/connector-runtime/failure';
import { binaryBody, binaryContent, withoutBytes } from '@fairlead/connector-runtime/outputs/binary-parts';
import { cutObject, MAX_DEPTH, NOT_PLAIN } from '@fairlead/connector-runtime/outputs/cut-json';
import { demandsInput, outputOfMcpResult, withOutput } from '@fairlead/connector-runtime/outputs/mcp-result';
import { partsOfOutput } from '@fairlead/connector-runtime/outputs/output-parts';
import { builtOutput, UnbuiltOutput } from '@fairlead/connector-runtime/outputs/unbuilt-output';
import { maskSecretFields } from '@fairlead/connector-runtime/secret-fields/secret-fields';
import { createValueMasker } from '@fairlead/connector-runtime/value-masking';
import { JsonWithBytes } from '@fairlead/worker-pool/json-with-bytes';
import { divideMcpResult, divideOutput } from './divided-result.ts';
import type { FilePart } from './divided-result.ts';
import type { FinishAnswer, FinishJob } from './evaluation-job.ts';

/** Parses a large output and returns the JSON of its returned and its stored form. */
export function finishOutput(job: FinishJob, bytes: Uint8Array): FinishAnswer | JsonWithBytes {
  let output: JsonObject;
  try {
    output = builtOutput(new UnbuiltOutput(job.shape, bytes));
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    return { kind: 'failed', message: error.message };
  }
  if (isDeeperThan(output, MAX_DEPTH)) return { kind: 'failed', message: NOT_PLAIN };
  const own = job.isMcpResult ? outputOfMcpResult(output) : output;
  const flagged = job.flags === null ? { masked: own, secrets: [] } : maskSecretFields(job.flags, own);
  const received = job.isMcpResult ? withOutput(output, flagged.masked) : flagged.masked;
  const masked = createValueMasker([...job.secrets, ...flagged.secrets]).object(received);
  // Without `division`, the output may be an MCP tool's, so its content is checked for bytes, too.
  const isBinary =
    !job.isMcpResult &&
    [binaryBody(masked), ...(job.division ? [] : [binaryContent(masked)])].some(
      (found) => found.next().done !== true,
    );
  const { parts } = job;
  const kept = job.isMcpResult ? withoutBytes(outputOfMcpResult(masked)) : masked;
  const whole = Buffer.from(
    JSON.stringify(parts === null || isBinary || job.isMcpResult ? masked : partsOfOutput(masked, parts)),
  );
  const stored = Buffer.from(JSON.stringify(cutObject(kept, job.maxStoredBytes)));
  const { answer, files } = isBinary ? { answer: whole, files: [] } : divided(job, masked, whole);
  if (answer === undefined) return { kind: 'failed', message: TOO_LARGE };
  const finished = {
    kind: 'finished',
    answerBytes: answer.length,
    secrets: flagged.secrets,
    isBinary,
    files: files.map(({ content, ...file }) => ({ ...file, bytes: content.length })),
  } satisfies FinishAnswer;
  return new JsonWithBytes(finished, Buffer.concat([answer, stored, ...files.map(({ content }) => content)]));
}

const TOO_LARGE = 'The MCP server asks for input with a result that is too large to pass on.';

/** The divided answer and its files; undefined if the answer cannot be divided. */
function divided(
  { division, isMcpResult = false }: FinishJob,
  masked: JsonObject,
  whole: Buffer,
): { readonly answer: Buffer | undefined; readonly files: readonly FilePart[] } {
  if (division === undefined || whole.length <= division.maxBytes) return { answer: whole, files: [] };
  if (isMcpResult && demandsInput(masked)) return { answer: undefined, files: [] };
  const { result, files } = isMcpResult
    ? divideMcpResult(masked, division)
    : divideOutput(masked, whole, division);
  return { answer: Buffer.from(JSON.stringify(result)), files };
}
