import type { ServiceImpl } from '@connectrpc/connect';
import type { TaskService } from '@fairlead/contracts/agents/v1/task_service_pb';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { runCall } from '../use-cases/tasks/run-call.ts';
import type { RunCallDeps } from '../use-cases/tasks/run-call.ts';

/** TaskService of proto/fairlead/agents/v1 over the use cases. */
export function createTaskService(deps: RunCallDeps): ServiceImpl<typeof TaskService> {
  return {
    async runCall({ taskId, ...call }, h) {
      const passedOn = taskId === '' ? undefined : taskId;
      return { outcomeJson: await runCall(deps, requestContext(h), { ...call, taskId: passedOn }) };
    },
  };
}
