import type { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import { orOutcomeUnknown } from '@fairlead/service-kit/rpc/outcome-unknown';

type ExecutionClient = RpcClient<typeof ExecutionService>;

/** A client for which a call to an application that reached the tools service, but got no response, is TIMEOUT. */
export function createExecutionClient(client: ExecutionClient): ExecutionClient {
  return {
    ...client,
    executeTool: (ctx, request, options) => answerOf(request, client.executeTool(ctx, request, options)),
    sendRequest: (ctx, request, options) => answerOf(request, client.sendRequest(ctx, request, options)),
  };
}

/** A dry run calls no application. */
function answerOf<R>({ dryRun }: { readonly dryRun?: boolean }, call: Promise<R>): Promise<R> {
  return dryRun === true ? call : orOutcomeUnknown(call);
}
