import { ApiError } from '@fairlead/errors/api-error';
import type { McpClient } from '../domain/mcp-client.ts';
import type { UpstreamAnswer, UpstreamError } from '../ports/upstreams.ts';
import { RPC_ERRORS, RpcError } from './json-rpc.ts';
import { isTemporary, resultForClient } from './tool-result.ts';
import type { UpstreamResult } from './tool-result.ts';

/** Error code for a missing resource in versions with a handshake. Later ones use invalid params (SEP-2164). */
const RESOURCE_NOT_FOUND = -32_002;
/** Codes about our own connection to the upstream, such as an unknown method or a malformed message; not for the client. */
const OF_CONNECTION: ReadonlySet<number> = new Set([
  RPC_ERRORS.parseError,
  RPC_ERRORS.invalidRequest,
  RPC_ERRORS.methodNotFound,
  RPC_ERRORS.refused,
  RPC_ERRORS.headerMismatch,
  RPC_ERRORS.unsupportedVersion,
]);
/** Codes of errors about the caller, which apply to the whole request. */
const OF_CALLER = new Set(['UNAUTHORIZED', 'ACCOUNT_USER_INACTIVE']);

/** The result of another MCP server; RpcError if it returned an error. */
export function upstreamResult(answer: UpstreamAnswer, client: McpClient): UpstreamResult {
  switch (answer.kind) {
    case 'result':
      return resultForClient(answer.result, client);
    case 'error': {
      const { code, message, data } = answer;
      throw new RpcError(OF_CONNECTION.has(code) ? RPC_ERRORS.internalError : code, message, data);
    }
    case 'failure':
      throw new RpcError(RPC_ERRORS.internalError, answer.message, { errorCode: 'UNAVAILABLE' });
  }
}

/** Whether a server reports a missing resource. The reference server has always used invalid params. */
export function saysNotFound(answer: UpstreamAnswer): answer is UpstreamError {
  return answer.kind === 'error' && [RESOURCE_NOT_FOUND, RPC_ERRORS.invalidParams].includes(answer.code);
}

/** The error for a missing resource in the client's version. `message` is the server's. */
export function resourceNotFound(
  uri: string,
  { isStateless }: McpClient,
  message = `Resource not found: ${uri.slice(0, MAX_NAMED)}`,
): RpcError {
  const code = isStateless ? RPC_ERRORS.invalidParams : RESOURCE_NOT_FOUND;
  return new RpcError(code, message, { uri });
}

const MAX_NAMED = 200;

/**
 * Converts the error of a request that was refused before sending. Returns errors about the caller, and errors independent of the request,
 * unchanged.
 */
export function refusedRequest(error: unknown): unknown {
  if (!(error instanceof ApiError) || isTemporary(error) || OF_CALLER.has(error.code)) return error;
  return new RpcError(RPC_ERRORS.internalError, `${error.code}: ${error.message}`, { errorCode: error.code });
}
