import { ApiError } from '@fairlead/errors/api-error';
import type { McpClient } from '../domain/mcp-client.ts';
import type { UpstreamAnswer, UpstreamError } from '../ports/upstreams.ts';
import { RPC_ERRORS, RpcError } from './json-rpc.ts';
import { isTemporary, passedResult } from './tool-result.ts';
import type { PassedResult } from './tool-result.ts';

/** The code for a resource that does not exist, in versions with a handshake. Later ones have invalid params (SEP-2164). */
const RESOURCE_NOT_FOUND = -32_002;
/** Codes that say something of the connection on which they are sent, such as an unknown method or a malformed message. */
const OF_CONNECTION: ReadonlySet<number> = new Set([
  RPC_ERRORS.parseError,
  RPC_ERRORS.invalidRequest,
  RPC_ERRORS.methodNotFound,
  RPC_ERRORS.refused,
  RPC_ERRORS.headerMismatch,
  RPC_ERRORS.unsupportedVersion,
]);
/** Errors of the caller, which concern the whole request. */
const OF_CALLER = new Set(['UNAUTHORIZED', 'ACCOUNT_USER_INACTIVE']);

/** The result of another MCP server; RpcError if it has none. */
export function upstreamResult(answer: UpstreamAnswer, client: McpClient): PassedResult {
  switch (answer.kind) {
    case 'result':
      return passedResult(answer.result, client);
    case 'error': {
      const { code, message, data } = answer;
      throw new RpcError(OF_CONNECTION.has(code) ? RPC_ERRORS.internalError : code, message, data);
    }
    case 'failure':
      throw new RpcError(RPC_ERRORS.internalError, answer.message, { errorCode: 'UNAVAILABLE' });
  }
}

/** Whether a server says that it does not have the resource. The reference server has always answered with invalid params. */
export function saysNotFound(answer: UpstreamAnswer): answer is UpstreamError {
  return answer.kind === 'error' && [RESOURCE_NOT_FOUND, RPC_ERRORS.invalidParams].includes(answer.code);
}

/** The error for a resource that does not exist, as the version of the client has it. `message` is that of its server. */
export function resourceNotFound(
  uri: string,
  { isStateless }: McpClient,
  message = `Resource not found: ${uri.slice(0, MAX_NAMED)}`,
): RpcError {
  const code = isStateless ? RPC_ERRORS.invalidParams : RESOURCE_NOT_FOUND;
  return new RpcError(code, message, { uri });
}

const MAX_NAMED = 200;

/** The error for a request that was refused before it was sent. Returns errors of the caller as they are, and those that say nothing of the request. */
export function refusedRequest(error: unknown): unknown {
  if (!(error instanceof ApiError) || isTemporary(error) || OF_CALLER.has(error.code)) return error;
  return new RpcError(RPC_ERRORS.internalError, `${error.code}: ${error.message}`, { errorCode: error.code });
}
