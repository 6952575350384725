import { beforeAll, describe, expect } from 'vitest';
import { asOther, expectError, expectList, get, post, stack } from './support/api.ts';
import { createConnection, createCrmConnection, removeConnection } from './support/connections.ts';
import { row } from './support/row.ts';

let connectionId = 0;
const made: { historyId: number; isSuccess: boolean }[] = [];
let started = '';

beforeAll(async () => {
  started = new Date().toISOString();
  connectionId = (await createCrmConnection('For the history')).id;
  const query = `?connectionId=${connectionId}`;
  for (const [tool, fields] of [
    ['sandbox-crm-whoami', {}],
    ['sandbox-crm-simulate-failure', { status: 500, message: `Leaks ${stack.sandboxCrm.apiKey} here` }],
    ['sandbox-crm-list-deals', {}],
  ] as const) {
    made.push((await post(`/v1/tools/${tool}/execute${query}`, { fields })).body);
  }
  return () => removeConnection(connectionId);
});

describe('the history of executions', () => {
  row(
    [
      'tool-execution-result.3',
      'completion.names.8',
      'completion.applications-and-tools.52',
      'completion.applications-and-tools.53',
    ],
    'every call that was made has a row, newest first, with growing ids',
    async () => {
      const { items, totalCount } = expectList(await get(`/v1/executions?connectionId=${connectionId}`));
      expect(totalCount).toBe(3);
      expect(items.map((it) => it.historyId)).toEqual(made.map((it) => it.historyId).toReversed());
      const ids = made.map((it) => it.historyId);
      expect(ids).toEqual(ids.toSorted((a, b) => a - b));
      const one = await get(`/v1/executions/${ids[0]}`);
      expect(one.body).toMatchObject({
        historyId: ids[0],
        toolSlug: 'sandbox-crm-whoami',
        applicationSlug: 'sandbox-crm',
        connectionId,
        isSuccess: true,
        errorMessage: null,
        fields: {},
        output: expect.any(Object),
        executionInfo: { connectionId, connectionResolution: 'explicit', toolSlug: 'sandbox-crm-whoami' },
        createdAt: expect.stringMatching(/Z$/),
      });
    },
  );

  row(
    [
      'tool-execution-result.5',
      'completion.applications-and-tools.57',
      'completion.applications-and-tools.59',
      'completion.applications-and-tools.61',
    ],
    'secrets of the connection are masked in response and history',
    async () => {
      const failed = made[1];
      expect(failed).toMatchObject({ isSuccess: false, errorMessage: expect.stringContaining('***') });
      const kept = await get(`/v1/executions/${failed?.historyId}`);
      expect(kept.status).toBe(200);
      expect(kept.text).not.toContain(stack.sandboxCrm.apiKey);
      expect(kept.body.fields.message).toContain('***');
    },
  );

  row(
    [
      'what-the-service-does.5',
      'completion.applications-and-tools.50',
      'completion.applications-and-tools.51',
      'completion.everywhere.33',
    ],
    'the history is filtered by tool, outcome and time',
    async () => {
      const list = async (query: string): Promise<number[]> =>
        expectList(await get(`/v1/executions?connectionId=${connectionId}&${query}`)).items.map(
          (it) => it.historyId,
        );
      const [first, second, third] = made.map((it) => it.historyId);
      expect(await list('toolSlug=sandbox-crm-list-deals')).toEqual([third]);
      expect(await list('isSuccess=false')).toEqual([second]);
      expect(await list('isSuccess=true')).toEqual([third, first]);
      expect(await list(`from=${started}`)).toEqual([third, second, first]);
      expect(await list(`to=${started}`)).toEqual([]);
      const at = (await get(`/v1/executions/${second}`)).body.createdAt;
      expect(await list(`from=${at}`)).toContain(second);
      expect(await list(`to=${at}`)).not.toContain(second);
      expect(await list('toolSlug=no-such-tool')).toEqual([]);
      expect(expectList(await get('/v1/executions?connectionId=2000000000')).items).toEqual([]);
      for (const [query, field] of [
        ['from=yesterday', 'from'],
        ['isSuccess=maybe', 'isSuccess'],
        ['connectionId=x', 'connectionId'],
      ] as const) {
        expectError(await get(`/v1/executions?${query}`), 400, 'VALIDATION_ERROR', [field]);
      }
    },
  );

  row(
    [
      'limits.6',
      'completion.applications-and-tools.53',
      'completion.applications-and-tools.54',
      'completion.everywhere.32',
    ],
    'a client reads on with after or with offset, and totalCount counts what there is to read',
    async () => {
      const of = `connectionId=${connectionId}`;
      const all = made.map((it) => it.historyId).toReversed();
      for (const step of ['after', 'offset']) {
        const seen: number[] = [];
        for (let next = ''; ;) {
          const page = expectList(await get(`/v1/executions?${of}&top=1${next}`));
          const counted = step === 'after' ? all.length - seen.length : all.length;
          expect(page.totalCount, step).toBe(counted);
          seen.push(...page.items.map((it) => it.historyId));
          if (page.offset + page.items.length >= page.totalCount) break;
          next = step === 'after' ? `&after=${seen.at(-1)}` : `&offset=${seen.length}`;
        }
        expect(seen, step).toEqual(all);
      }
      const [third, second, first] = all;
      const list = async (query: string) => {
        const { items, totalCount } = expectList(await get(`/v1/executions?${of}&${query}`));
        return [items.map((it) => it.historyId), totalCount];
      };
      expect(await list(`after=${third}&isSuccess=true`)).toEqual([[first], 1]);
      expect(await list(`after=${third}&offset=1`)).toEqual([[first], 2]);
      expect(await list(`after=${first}`)).toEqual([[], 0]);
      const at = (await get(`/v1/executions/${second}`)).body.createdAt;
      expect(await list(`after=${third}&from=${at}`)).toEqual([[second], 1]);
      for (const unknown of [1, 9_007_199_254_740_991])
        expect(await list(`after=${unknown}`)).toEqual([[], 0]);
      const theirs = expectList(await get(`/v1/executions?after=${first}`, asOther));
      expect(theirs).toMatchObject({ items: [], totalCount: 0 });
      for (const malformed of ['0', '-1', 'x', '1.5', '9007199254740992', ''])
        expectError(await get(`/v1/executions?after=${malformed}`), 400, 'VALIDATION_ERROR', ['after']);
    },
  );

  row(
    ['errors.26', 'completion.everywhere.31'],
    'another account’s row, an unknown and an ill-formed id are the same 404',
    async () => {
      for (const [id, options] of [
        [made[0]?.historyId, asOther],
        ['1', {}],
        ['x', {}],
        ['-1', {}],
      ] as const) {
        expectError(await get(`/v1/executions/${id}`, options), 404, 'NOT_FOUND');
      }
      const theirs = expectList(await get('/v1/executions', asOther)).items.map((it) => it.historyId);
      expect(theirs).not.toContain(made[0]?.historyId);
    },
  );

  row(
    ['tool-execution-result.3', 'completion.applications-and-tools.56'],
    'a refused call leaves no row',
    async () => {
      const before = expectList(await get('/v1/executions')).totalCount;
      const spare = await createConnection({
        applicationSlug: 'http',
        connectionName: 'Spare',
        authenticationId: 0,
      });
      expectError(
        await post(`/v1/tools/sandbox-crm-whoami/execute?connectionId=${spare.id}`, {}),
        400,
        'WRONG_APPLICATION',
      );
      expectError(await post('/v1/tools/sandbox-crm-get-contact/execute', {}), 400, 'VALIDATION_ERROR', [
        'fields.id',
      ]);
      expect(expectList(await get('/v1/executions')).totalCount).toBe(before);
      await removeConnection(spare.id);
    },
  );
});
