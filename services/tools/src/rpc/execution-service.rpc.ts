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
import { executeInRounds } from '../use-cases/calls/execute-in-rounds.ts';
import type { ExecuteInRoundsDeps } from '../use-cases/calls/execute-in-rounds.ts';
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
import { encodeOutcome, toRoundResult } from './convert-detached-call.ts';
import {
  fromExecuteToolRequest,
  fromSendRequestRequest,
  toExecuteToolResponse,
  toSendRequestResponse,
} from './convert-tool-call.ts';

/** ExecutionService of proto/fairlead/tools/v1 over the use cases. */
export function createExecutionService(
  deps: ExecuteInteractivelyDeps &
    ExecuteInRoundsDeps &
    ListExecutionsDeps &
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
      const [ctx, request, description] = [
        requestContext(h),
        fromExecuteToolRequest(call),
        fromMcpClient(client),
      ];
      const messages = description.takesInputRequired
        ? executeInRounds(deps, ctx, request, description, encodeOutcome)
        : executeInteractively(deps, ctx, request, description);
      for await (const message of messages)
        yield message.kind === 'round'
          ? { message: { case: 'result', value: toRoundResult(message.call) } }
          : toCallMessage(message, toExecuteToolResponse);
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
