import type { Preview, ToolCall } from './call.ts';
import { CallFailure } from './failure.ts';
import { InputError } from './handler.ts';
import { passthroughRequest } from './http/passthrough.ts';
import type { HttpRequest } from './http/request.ts';
import { firstRequest } from './http/tool.ts';
import { maskCredential } from './secret-masking.ts';

/** The first request that a call would send, with `***` in place of every secret of the credential. */
export function previewCall(call: ToolCall): Preview {
  const { execution } = call.tool;
  switch (execution.type) {
    case 'handler':
      return { type: 'handler', handler: execution.handler, fields: call.fields };
    case 'package':
      return { type: 'handler', handler: execution.action, fields: call.fields };
    case 'mcp':
      return { type: 'mcp', toolName: execution.toolName, fields: call.fields };
    case 'http':
      return previewRequest(call, (masked) => firstRequest(masked, execution));
    case 'passthrough':
      return previewRequest(call, passthroughRequest);
  }
}

/** The header of schemes that encode or sign the credential, here with the mask. */
const UNREADABLE: Readonly<Record<string, string | undefined>> = {
  basic: 'Basic ***',
  awsSigV4: 'AWS4-HMAC-SHA256 ***',
};

function previewRequest(call: ToolCall, build: (masked: ToolCall) => HttpRequest): Preview {
  const masked = { ...call, credential: maskCredential(call.method, call.credential) };
  try {
    const request = build(masked);
    const unreadable = UNREADABLE[call.method.scheme.type];
    return {
      type: 'http',
      method: request.method,
      url: request.url.href,
      headers: unreadable === undefined ? request.headers : { ...request.headers, authorization: unreadable },
      body: request.body ?? null,
    };
  } catch (error) {
    if (error instanceof InputError)
      return { type: 'refused', errorMessage: error.message, inputIssues: error.issues };
    if (error instanceof CallFailure) return { type: 'refused', errorMessage: error.message };
    throw error;
  }
}
