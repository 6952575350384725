import { isDeeperThan } from '@fairlead/connector-model/limits';
import type { JsonObject } from '@fairlead/connector-model/model';
import { CallFailure } from '@fairlead/connector-runtime/failure';
import { binaryBody, binaryContent } from '@fairlead/connector-runtime/outputs/binary-parts';
import { cutObject, MAX_DEPTH, NOT_PLAIN } from '@fairlead/connector-runtime/outputs/cut-json';
import { outputOfMcpResult, withOutput } from '@fairlead/connector-runtime/outputs/mcp-result';
import { partsOfOutput } from '@fairlead/connector-runtime/outputs/output-parts';
import { builtOutput, UnbuiltOutput } from '@fairlead/connector-runtime/outputs/unbuilt-output';
import { maskSecretFields } from '@fairlead/connector-runtime/secret-fields/secret-fields';
import { createValueMasker } from '@fairlead/connector-runtime/value-masking';
import { JsonWithBytes } from '@fairlead/worker-pool/json-with-bytes';
import type { FinishAnswer, FinishJob } from './evaluation-job.ts';

/** Builds a large output and makes of it what its caller gets and what the history keeps, as their JSON. */
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
  // Whether such an output is that of an MCP tool is not known here.
  const isBinary =
    !job.isMcpResult &&
    [binaryBody(masked), binaryContent(masked)].some((found) => found.next().done !== true);
  const { parts } = job;
  const kept = job.isMcpResult ? outputOfMcpResult(masked) : masked;
  const answer = Buffer.from(
    JSON.stringify(parts === null || isBinary || job.isMcpResult ? masked : partsOfOutput(masked, parts)),
  );
  const stored = Buffer.from(JSON.stringify(cutObject(kept, job.maxStoredBytes)));
  const { secrets } = flagged;
  const finished = { kind: 'finished', answerBytes: answer.length, secrets, isBinary } satisfies FinishAnswer;
  return new JsonWithBytes(finished, Buffer.concat([answer, stored]));
}
