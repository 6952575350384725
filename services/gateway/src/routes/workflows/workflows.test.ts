import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { OnError, WorkflowSchema } from '@fairlead/contracts/tools/v1/workflow_pb';
import { WorkflowService } from '@fairlead/contracts/tools/v1/workflow_service_pb';
import type {
  CreateWorkflowRequest,
  UpdateWorkflowRequest,
} from '@fairlead/contracts/tools/v1/workflow_service_pb';
import { call } from '@fairlead/rest-kit/testing/edge';
import type { TestEdge } from '@fairlead/rest-kit/testing/edge';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGatewayEdge } from '../../testing/edge.ts';
import { startRemote } from '../../testing/remote.ts';
import { routeTable } from '../route-table.ts';

const createdAt = timestampFromDate(new Date('2026-11-24T10:00:00.000Z'));
const workflow = create(WorkflowSchema, {
  workflowToken: 'wf_1',
  name: 'Flow',
  slug: 'flow',
  inputSchemaJson: Buffer.from('{}'),
  steps: [{ id: 'a', toolSlug: 'do', fieldsJson: Buffer.from('{}'), onError: OnError.STOP }],
  outputJson: Buffer.from('null'),
  createdAt,
  updatedAt: createdAt,
});

let created: CreateWorkflowRequest | undefined;
let updated: UpdateWorkflowRequest | undefined;
let edge: TestEdge;
let close: () => Promise<void>;

beforeAll(async () => {
  const remote = await startRemote((router) =>
    router.service(WorkflowService, {
      createWorkflow(request) {
        created = request;
        return { workflow };
      },
      updateWorkflow(request) {
        updated = request;
        return { workflow };
      },
    }),
  );
  edge = await startGatewayEdge({ routes: routeTable, services: remote.services });
  close = () => remote.close();
});
afterAll(async () => {
  await edge.close();
  await close();
});

const rows = Array.from({ length: 20_000 }, (_row, at) => at);
const text = 'é\n'.repeat(50_000);
const parsed = (bytes: Uint8Array | undefined): unknown =>
  bytes === undefined ? undefined : JSON.parse(Buffer.from(bytes).toString());

describe('parts of a workflow', () => {
  test.each<[string, object, object, unknown]>([
    ['an array', { a: 1 }, { a: 1 }, rows],
    ['a large member', { enum: rows }, { a: 1 }, { b: [null], rows }],
    ['a large member of an item', { enum: rows }, { a: 1 }, [{ rows }, 1]],
    ['a large text', { description: text }, { a: 1 }, { text }],
    ['an item that is a large text', { a: 1 }, { text }, [text, 1]],
    ['fields of a step', { a: 1 }, { rows, a: 'x' }, null],
  ])(
    'go to tools as JSON, here and in a PATCH, if they are large, too: %s',
    async (_name, inputSchema, fields, output) => {
      const json = {
        name: 'Flow',
        slug: 'flow',
        inputSchema,
        steps: [{ id: 'a', toolSlug: 'do', fields }],
        output,
      };
      expect((await call(edge, 'POST', '/v1/workflows', { json })).status).toBe(201);
      expect((await call(edge, 'PATCH', '/v1/workflows/wf_1', { json })).status).toBe(200);
      for (const [request, step] of [
        [created, created?.steps[0]],
        [updated, updated?.steps?.steps[0]],
      ] as const) {
        const { inputSchemaJson, outputJson } = request ?? {};
        expect([inputSchemaJson, outputJson, step?.fieldsJson].map(parsed)).toEqual([
          inputSchema,
          output,
          fields,
        ]);
      }
    },
  );

  test('that are small, or one large text, go so as well', async () => {
    for (const output of [null, 1, '=input', text, { a: ['=1'] }]) {
      const json = { name: 'Flow', slug: 'flow', steps: [{ id: 'a', toolSlug: 'do' }], output };
      expect((await call(edge, 'POST', '/v1/workflows', { json })).status).toBe(201);
      expect([created?.outputJson, created?.steps[0]?.fieldsJson].map(parsed)).toEqual([output, {}]);
    }
  });

  test('that a PATCH leaves out are not sent', async () => {
    await call(edge, 'PATCH', '/v1/workflows/wf_1', { json: { name: 'Other' } });
    expect([updated?.inputSchemaJson, updated?.outputJson, updated?.steps]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
