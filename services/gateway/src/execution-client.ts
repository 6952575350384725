import type { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import { orOutcomeUnknown } from '@fairlead/service-kit/rpc/outcome-unknown';

type ExecutionClient = RpcClient<typeof ExecutionService>;

/** The client, but a call of an application that was sent to the tools service and got no answer is TIMEOUT. */
export function createExecutionClient(client: ExecutionClient): ExecutionClient {
  return {
    ...client,
    executeTool: (ctx, request, options) => answered(request, client.executeTool(ctx, request, options)),
    sendRequest: (ctx, request, options) => answered(request, client.sendRequest(ctx, request, options)),
  };
}

/** A dry run calls no application. */
function answered<R>({ dryRun }: { readonly dryRun?: boolean }, call: Promise<R>): Promise<R> {
  return dryRun === true ? call : orOutcomeUnknown(call);
}
