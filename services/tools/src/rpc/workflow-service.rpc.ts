import type { ServiceImpl } from '@connectrpc/connect';
import type { WorkflowService } from '@fairlead/contracts/tools/v1/workflow_service_pb';
import { readPage } from '@fairlead/service-kit/page';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { createWorkflow } from '../use-cases/workflows/create-workflow.ts';
import type { CreateWorkflowDeps } from '../use-cases/workflows/create-workflow.ts';
import { deleteWorkflow } from '../use-cases/workflows/delete-workflow.ts';
import type { DeleteWorkflowDeps } from '../use-cases/workflows/delete-workflow.ts';
import { findWorkflowTools } from '../use-cases/workflows/find-workflow-tools.ts';
import type { FindWorkflowToolsDeps } from '../use-cases/workflows/find-workflow-tools.ts';
import { getWorkflow } from '../use-cases/workflows/get-workflow.ts';
import type { GetWorkflowDeps } from '../use-cases/workflows/get-workflow.ts';
import { listWorkflows } from '../use-cases/workflows/list-workflows.ts';
import type { ListWorkflowsDeps } from '../use-cases/workflows/list-workflows.ts';
import { updateWorkflow } from '../use-cases/workflows/update-workflow.ts';
import type { UpdateWorkflowDeps } from '../use-cases/workflows/update-workflow.ts';
import { toListedTool } from './convert-toolset.ts';
import {
  fromCreateWorkflowRequest,
  fromUpdateWorkflowRequest,
  toWorkflowMessage,
} from './convert-workflow.ts';

export type WorkflowServiceDeps = ListWorkflowsDeps &
  GetWorkflowDeps &
  CreateWorkflowDeps &
  UpdateWorkflowDeps &
  DeleteWorkflowDeps &
  FindWorkflowToolsDeps;

/** WorkflowService of proto/fairlead/tools/v1 over the use cases. */
export function createWorkflowService(deps: WorkflowServiceDeps): ServiceImpl<typeof WorkflowService> {
  return {
    async listWorkflows({ page }, h) {
      const { items, ...rest } = await listWorkflows(deps, requestContext(h), readPage(page));
      return { items: items.map(toWorkflowMessage), ...rest };
    },
    async getWorkflow({ workflowToken }, h) {
      return { workflow: toWorkflowMessage(await getWorkflow(deps, requestContext(h), workflowToken)) };
    },
    async createWorkflow(request, h) {
      const created = await createWorkflow(deps, requestContext(h), fromCreateWorkflowRequest(request));
      return { workflow: toWorkflowMessage(created) };
    },
    async updateWorkflow(request, h) {
      const updated = await updateWorkflow(deps, requestContext(h), fromUpdateWorkflowRequest(request));
      return { workflow: toWorkflowMessage(updated) };
    },
    async deleteWorkflow({ workflowToken, force }, h) {
      await deleteWorkflow(deps, requestContext(h), { workflowToken, isForced: force });
      return {};
    },
    async findWorkflowTools({ workflowTokens }, h) {
      const found = await findWorkflowTools(deps, requestContext(h), workflowTokens);
      return {
        items: found.map(({ workflowToken, tool }) => ({ workflowToken, tool: toListedTool(tool) })),
      };
    },
  };
}
