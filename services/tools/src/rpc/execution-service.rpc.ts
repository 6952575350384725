import type { ServiceImpl } from '@connectrpc/connect';
import type { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import { validationError } from '@fairlead/errors/api-error';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { countExecutionsByDay } from '../use-cases/history/count-executions-by-day.ts';
import type { CountExecutionsByDayDeps } from '../use-cases/history/count-executions-by-day.ts';
import { answerClientRequest } from '../use-cases/client-requests/answer-client-request.ts';
import { executeCall } from '../use-cases/executions/execute-call.ts';
import { executeInteractively } from '../use-cases/executions/execute-interactively.ts';
import type { ExecuteInteractivelyDeps } from '../use-cases/executions/execute-interactively.ts';
import type { ClientRequests } from '../ports/client-requests.ts';
import { getExecution } from '../use-cases/history/get-execution.ts';
import type { GetExecutionDeps } from '../use-cases/history/get-execution.ts';
import { listExecutions } from '../use-cases/history/list-executions.ts';
import type { ListExecutionsDeps } from '../use-cases/history/list-executions.ts';
import { sendRequest } from '../use-cases/executions/send-request.ts';
import {
  fromCountExecutionsByDayRequest,
  fromListExecutionsRequest,
  toExecution,
  toExecutionDay,
  toListExecutionsResponse,
} from './convert-execution.ts';
import { fromClientAnswer, fromMcpClient, toCallMessage } from './convert-client.ts';
import {
  fromExecuteToolRequest,
  fromSendRequestRequest,
  toExecuteToolResponse,
  toSendRequestResponse,
} from './convert-tool-call.ts';

/** ExecutionService of proto/fairlead/tools/v1 over the use cases. */
export function createExecutionService(
  deps: ExecuteInteractivelyDeps & {
    readonly clientRequests: ClientRequests;
  } & ListExecutionsDeps &
    GetExecutionDeps &
    CountExecutionsByDayDeps,
): ServiceImpl<typeof ExecutionService> {
  return {
    async executeTool(request, h) {
      const result = await executeCall(deps, requestContext(h), fromExecuteToolRequest(request));
      return toExecuteToolResponse(result);
    },
    async *executeToolInteractively({ call, client }, h) {
      if (call === undefined) throw validationError({ field: 'call', issue: 'is required' });
      const request = fromExecuteToolRequest(call);
      for await (const message of executeInteractively(
        deps,
        requestContext(h),
        request,
        fromMcpClient(client),
      ))
        yield toCallMessage(message);
    },
    async answerClientRequest({ key, answer }, h) {
      await answerClientRequest(deps, requestContext(h), key, fromClientAnswer(answer));
      return {};
    },
    async sendRequest(request, h) {
      return toSendRequestResponse(
        await sendRequest(deps, requestContext(h), fromSendRequestRequest(request)),
      );
    },
    async listExecutions(request, h) {
      return toListExecutionsResponse(
        await listExecutions(deps, requestContext(h), fromListExecutionsRequest(request)),
      );
    },
    async getExecution({ historyId }, h) {
      return { execution: toExecution(await getExecution(deps, requestContext(h), Number(historyId))) };
    },
    async countExecutionsByDay(request, h) {
      const period = fromCountExecutionsByDayRequest(request);
      return { days: (await countExecutionsByDay(deps, requestContext(h), period)).map(toExecutionDay) };
    },
  };
}
