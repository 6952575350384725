import { apiDocument } from '@fairlead-services/gateway/openapi/api-document';
import { recordedExamples } from '@fairlead-services/gateway/openapi/recorded-examples';
import { routeTable } from '@fairlead-services/gateway/routes/route-table';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { call, stack } from './support/api.ts';
import type { PlanRun, Send } from './examples/plan-run.ts';
import { recorded, runExamples } from './examples/record.ts';
import { differencesOf } from './examples/differences.ts';

// Alone, because it rotates the installation's signing key and reads its audit log. If it fails after a change of the API, run `npm run
// examples`.
const document = apiDocument(stack.baseUrl);
const { operations, errors } = recordedExamples(stack.baseUrl);
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'api', components: document.components });

let run: PlanRun;
beforeAll(async () => {
  const send: Send = (method, path, { apiKey, headers, raw }) =>
    call(method, path, { apiKey, headers, ...(raw !== undefined && { raw }) });
  const mark = `-${stack.account.accountId.slice(-8).toLowerCase()}`;
  run = await runExamples({ stack, mark, send });
});

describe.each(routeTable.map((route) => [route.operationId, route] as const))('%s', (operationId, route) => {
  it('answers the request of its example with the same members', () => {
    const live = run.exchanges.get(operationId);
    expect(live?.status).toBe(route.status);
    expect(differencesOf(operations[operationId]?.response, live?.body)).toEqual([]);
  });

  it('has an example whose response fits its schema', () => {
    const response = document.paths[route.path]?.[route.method]?.responses[route.status];
    const content = response !== undefined && 'content' in response ? response.content : undefined;
    const schema = content?.['application/json']?.schema;
    const example = operations[operationId];
    expect(example).toBeDefined();
    if (schema === undefined) return;
    const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')));
    validate(example?.response);
    expect(validate.errors).toBeNull();
  });
});

it('each error is answered as its example says', () => {
  expect(differencesOf(errors, Object.fromEntries(run.errors))).toEqual([]);
});

it('a member that only one of two responses has is a difference', () => {
  const recordedOne = { items: [{ id: 1, removed: 2 }], fields: null, tags: [] };
  const liveOne = { items: [{ id: 2, added: 'a' }], fields: { a: 1 }, tags: ['a'] };
  expect(differencesOf(recordedOne, liveOne)).toEqual(['.items[].removed', '.items[].added']);
  expect(differencesOf({ id: 1 }, { id: 'a' })).toEqual(['.id']);
  expect(differencesOf(undefined, {})).toEqual(['']);
});

it('the requests of the examples are those that are sent', () => {
  const { operations: live } = recorded(run, new Date());
  for (const [operationId, { request }] of Object.entries(live))
    expect(differencesOf(operations[operationId]?.request, request), operationId).toEqual([]);
});
