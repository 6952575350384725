import { UseService } from '@fairlead/contracts/common/v1/use_service_pb';
import { WorkflowService } from '@fairlead/contracts/tools/v1/workflow_service_pb';
import { notFound } from '@fairlead/errors/api-error';
import { call } from '@fairlead/rest-kit/testing/edge';
import type { TestEdge } from '@fairlead/rest-kit/testing/edge';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { routeTable } from './routes/route-table.ts';
import { startGatewayEdge } from './testing/edge.ts';
import { startRemote } from './testing/remote.ts';

let uses: Readonly<Record<'tools' | 'mcp', readonly string[]>>;
let done: string[] = [];
let edge: TestEdge;
let close: () => Promise<void>;

beforeAll(async () => {
  const remote = await startRemote(() => undefined, {
    tools: (router) =>
      router
        .service(UseService, {
          listUses: ({ workflowToken }) => ({ uses: workflowToken.startsWith('wf') ? [...uses.tools] : [] }),
        })
        .service(WorkflowService, {
          getWorkflow({ workflowToken }) {
            if (workflowToken !== 'wf_1') throw notFound('workflow');
            return {};
          },
          deleteWorkflow({ workflowToken, force }) {
            if (workflowToken !== 'wf_1') throw notFound('workflow');
            done.push(force ? 'delete by force' : 'delete');
            return {};
          },
        }),
    mcp: (router) =>
      router.service(UseService, {
        listUses: ({ workflowToken }) => ({ uses: workflowToken.startsWith('wf') ? [...uses.mcp] : [] }),
        removeUses({ connectionIds, workflowTokens }) {
          done.push(`remove ${[...workflowTokens, ...connectionIds].join(' ')}`);
          return {};
        },
      }),
  });
  edge = await startGatewayEdge({ routes: routeTable, services: remote.services });
  close = async () => {
    await edge.close();
    await remote.close();
  };
});
afterAll(() => close());
beforeEach(() => {
  done = [];
  uses = { tools: [], mcp: [] };
});

describe('deleting a workflow', () => {
  test('that nothing uses removes it before what may still name it', async () => {
    expect((await call(edge, 'DELETE', '/v1/workflows/wf_1')).status).toBe(204);
    expect(done).toEqual(['delete', 'remove wf_1']);
  });

  test.each([
    [{ tools: ['toolset:a'], mcp: ['mcpServer:Sales'] }, ['toolset:a', 'mcpServer:Sales']],
    [{ tools: ['toolset:a'], mcp: [] }, ['toolset:a']],
    [{ tools: [], mcp: ['mcpServer:Sales'] }, ['mcpServer:Sales']],
  ])('that is in use (%j) is refused, naming the uses, unless it is forced', async (used, candidates) => {
    uses = used;
    const refused = await call(edge, 'DELETE', '/v1/workflows/wf_1');
    expect([refused.status, refused.body['errorCode']]).toEqual([409, 'CONFLICT']);
    expect(refused.body['candidates']).toEqual(candidates);
    expect(done).toEqual([]);
    expect((await call(edge, 'DELETE', '/v1/workflows/wf_1?force=true')).status).toBe(204);
    expect(done).toEqual(['delete by force', 'remove wf_1']);
  });

  test('that is gone is 404, in use or not, and a forced one removes what is left of it', async () => {
    uses = { tools: [], mcp: ['mcpServer:Sales'] };
    expect((await call(edge, 'DELETE', '/v1/workflows/wf_gone')).status).toBe(404);
    expect(done).toEqual([]);
    expect((await call(edge, 'DELETE', '/v1/workflows/wf_gone?force=true')).status).toBe(404);
    expect(done).toEqual(['remove wf_gone']);
  });
});
