import type { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import { isUnanswered } from '@fairlead/service-kit/rpc/errors';

type ExecutionClient = RpcClient<typeof ExecutionService>;

/**
 * The client, but a call of an application that was sent to the tools service and got no answer is TIMEOUT: it may have taken
 * effect. UNAVAILABLE says that nothing was executed: it frees the call's Idempotency-Key, and clients then repeat the call.
 */
export function createExecutionClient(client: ExecutionClient): ExecutionClient {
  return {
    ...client,
    executeTool: (ctx, request, options) => answered(request, client.executeTool(ctx, request, options)),
    sendRequest: (ctx, request, options) => answered(request, client.sendRequest(ctx, request, options)),
  };
}

async function answered<R>({ dryRun }: { readonly dryRun?: boolean }, call: Promise<R>): Promise<R> {
  try {
    return await call;
  } catch (error) {
    // A dry run calls no application.
    if (dryRun === true || !(error instanceof ApiError) || !isUnanswered(error)) throw error;
    throw new ApiError('TIMEOUT', 'No answer came. It is unknown whether the call took effect.', {
      cause: error,
    });
  }
}
