import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ApiKeyService } from '@fairlead/contracts/identity/v1/api_key_service_pb';
import { ToolsetSchema } from '@fairlead/contracts/tools/v1/toolset_pb';
import { ToolsetService } from '@fairlead/contracts/tools/v1/toolset_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { call } from '@fairlead/rest-kit/testing/edge';
import { startGatewayEdge } from '../testing/edge.ts';
import type { TestEdge } from '@fairlead/rest-kit/testing/edge';
import { toolMessage } from '@fairlead/rest-records/testing/messages';
import { startRemote } from '../testing/remote.ts';
import { routeTable } from './route-table.ts';

const ID = '0b7c9d1e-5f2a-4b3c-8d4e-6f708192a3b4';
const PATH = `/v1/toolsets/${ID}`;
const AT = '2026-11-22T10:00:00.000Z';
const createdAt = timestampFromDate(new Date(AT));

const full = create(ToolsetSchema, {
  id: ID,
  name: 'Sales',
  connectionIds: [1],
  tools: { tools: [{ applicationSlug: 'crm', toolSlug: 'list' }] },
  workflowTokens: ['wf'],
  policy: {
    readOnly: true,
    fixedFieldsJson: { list: Buffer.from('{"a":1}') },
    requireApproval: ['list'],
  },
  createdAt,
  updatedAt: createdAt,
});
const presented = {
  id: ID,
  name: 'Sales',
  description: null,
  connections: [{ connectionId: 1 }],
  tools: [{ applicationSlug: 'crm', toolSlug: 'list' }],
  workflows: [{ workflowToken: 'wf' }],
  policy: {
    readOnly: true,
    fixedFields: { list: { a: 1 } },
    callsPerHour: null,
    requireApproval: ['list'],
    approvedByOther: false,
  },
  createdAt: AT,
  updatedAt: AT,
};

let asked: Record<string, unknown> = {};
/** The records whose deletion ended, in order. */
let ended: string[] = [];
let keysFail = false;
let edge: TestEdge;
let close: () => Promise<void>;

beforeAll(async () => {
  const end = (what: string, id: string) => {
    if (what === 'keys' && keysFail) throw new ApiError('UNAVAILABLE', 'Identity is away.');
    ended.push(`${what} ${id}`);
    return {};
  };
  const capture = ({ $typeName: _type, $unknown: _unknown, ...request }: Record<string, unknown>) => {
    asked = request;
  };
  const remote = await startRemote((router) =>
    router
      .service(ApiKeyService, { endToolsetKeys: ({ toolsetId }) => end('keys', toolsetId) })
      .service(ToolsetService, {
        listToolsets(request) {
          capture({ ...request });
          return {
            items: [full, create(ToolsetSchema, { id: ID, name: 'x', createdAt, updatedAt: createdAt })],
            totalCount: 2,
          };
        },
        getToolset(request) {
          capture({ ...request });
          return { toolset: full };
        },
        createToolset(request) {
          capture({ ...request });
          return { toolset: full };
        },
        updateToolset(request) {
          capture({ ...request });
          return { toolset: full };
        },
        deleteToolset: ({ id }) => end('toolset', id),
        listToolsetTools(request) {
          capture({ ...request });
          return { items: [{ ...toolMessage(), score: undefined }], totalCount: 1 };
        },
      }),
  );
  edge = await startGatewayEdge({ routes: routeTable, services: remote.services });
  close = async () => {
    await edge.close();
    await remote.close();
  };
});
afterAll(() => close());
beforeEach(() => {
  asked = {};
  ended = [];
  keysFail = false;
});

test('a toolset is created with its defaults, and shown', async () => {
  const { status, body } = await call(edge, 'POST', '/v1/toolsets', { json: { name: 'Sales' } });
  expect([status, body['text']]).toEqual([201, JSON.stringify(presented)]);
  expect(asked).toMatchObject({ name: 'Sales', description: '', connectionIds: [], workflowTokens: [] });
  expect([asked['tools'], asked['policy']]).toEqual([undefined, undefined]);
});

test('a change holds what was sent, and null where it means something', async () => {
  await call(edge, 'PATCH', PATH, { json: { tools: null, policy: null, description: null } });
  expect(asked).toMatchObject({
    id: ID,
    description: '',
    toolChange: { case: 'allTools', value: true },
    policyChange: { case: 'noPolicy', value: true },
  });
  expect([asked['name'], asked['connections'], asked['workflows']]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  const policy = { callsPerHour: null, fixedFields: { list: { a: [1] } } };
  await call(edge, 'PATCH', PATH, { json: { connections: [], tools: [], workflows: [], policy } });
  expect(asked).toMatchObject({
    connections: { ids: [] },
    toolChange: { case: 'tools', value: { tools: [] } },
    workflows: { tokens: [] },
    policyChange: {
      case: 'policy',
      value: { readOnly: false, fixedFieldsJson: { list: Buffer.from('{"a":[1]}') }, requireApproval: [] },
    },
  });
});

test.each([
  ['name', {}],
  ['name', { name: '' }],
  ['connections[0].connectionId', { name: 'x', connections: [{ connectionId: '1' }] }],
  ['connections', { name: 'x', connections: null }],
  ['tools[0].toolSlug', { name: 'x', tools: [{ applicationSlug: 'crm' }] }],
  ['policy.fixedFields.list', { name: 'x', policy: { fixedFields: { list: 1 } } }],
  ['policy.callsPerHour', { name: 'x', policy: { callsPerHour: 0 } }],
])('%s of the wrong form is named', async (field, body) => {
  const answer = await call(edge, 'POST', '/v1/toolsets', { json: body });
  expect([answer.status, answer.body['errorCode']]).toEqual([400, 'VALIDATION_ERROR']);
  expect(answer.body['details']).toMatchObject([{ field }]);
});

test('fixed inputs are stored up to 64 KiB, in a large body too', async () => {
  // Together they exceed the size up to which a body is parsed synchronously.
  const tools = Array.from({ length: 1_000 }, (_, index) => ({
    applicationSlug: 'crm',
    toolSlug: `${'t'.repeat(120)}${index}`,
  }));
  const fixed = (bytes: number): unknown => ({
    name: 'x',
    tools,
    policy: { fixedFields: { list: { a: 'é'.repeat((bytes - '{"list":{"a":""}}'.length) / 2) } } },
  });
  const most = 64 * 1024 - 1;
  expect((await call(edge, 'POST', '/v1/toolsets', { json: fixed(most) })).status).toBe(201);
  const list = Buffer.from(JSON.stringify({ a: 'é'.repeat(32_759) }));
  expect(asked).toMatchObject({ policy: { fixedFieldsJson: { list } } });
  const { body } = await call(edge, 'POST', '/v1/toolsets', { json: fixed(most + 2) });
  expect(body).toMatchObject({
    errorCode: 'VALIDATION_ERROR',
    details: [{ field: 'policy.fixedFields', issue: 'must be at most 64 KiB of JSON' }],
  });
});

test('toolsets and their tools are listed and read', async () => {
  expect(JSON.parse(String((await call(edge, 'GET', '/v1/toolsets')).body['text']))).toMatchObject({
    items: [presented, { tools: null, policy: null, connections: [], workflows: [] }],
    totalCount: 2,
  });
  expect((await call(edge, 'GET', PATH)).status).toBe(200);
  const listed = await call(edge, 'GET', `${PATH}/tools?top=5`);
  expect(listed.body).toMatchObject({ totalCount: 1, top: 5 });
  expect(asked).toMatchObject({ id: ID, page: { offset: 0, top: 5 } });
  expect((await call(edge, 'GET', '/v1/toolsets/7')).status).toBe(404);
});

test('the keys of a toolset end before it goes; it stays if they cannot', async () => {
  keysFail = true;
  expect((await call(edge, 'DELETE', PATH)).status).toBe(503);
  expect(ended).toEqual([]);
  keysFail = false;
  expect((await call(edge, 'DELETE', PATH)).status).toBe(204);
  expect(ended).toEqual([`keys ${ID}`, `toolset ${ID}`]);
});
