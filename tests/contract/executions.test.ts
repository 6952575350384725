import { MongoClient } from 'mongodb';
import { beforeAll, describe, expect, test } from 'vitest';
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
        executionInfo: {
          connectionId,
          connectionResolution: 'explicit',
          toolSlug: 'sandbox-crm-whoami',
          userId: (await get('/v1/auth/whoami')).body.userId,
          source: 'rest',
          mcpServerName: null,
        },
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

  row(
    ['completion.applications-and-tools.58'],
    'a row is listed, counted and found for 90 days, and not after that',
    async () => {
      const mongo = await MongoClient.connect(stack.mongodbUri);
      try {
        const rows = mongo.db('fairlead_tools').collection<{ _id: number; createdAt: Date }>('executions');
        const row = await rows.findOne({ _id: Number(made[0]?.historyId) });
        if (row === null) throw new Error('the row is not stored');
        const olderBy = (days: number) => {
          const ms = days * 86_400_000;
          // An id contains its time in the upper bits. Only reads are tested, not when MongoDB removes rows.
          const { createdAt, ...copied } = row;
          return { ...copied, createdAt, _id: row._id - ms * 4_096, toolSlug: 'kept-for-90-days' };
        };
        const [kept, past] = [olderBy(89.9), olderBy(90.1)];
        await rows.insertMany([kept, past]);
        const list = expectList(await get('/v1/executions?toolSlug=kept-for-90-days'));
        expect([list.items.map((it) => it.historyId), list.totalCount]).toEqual([[kept._id], 1]);
        expect((await get(`/v1/executions/${kept._id}`)).status).toBe(200);
        expectError(await get(`/v1/executions/${past._id}`), 404, 'NOT_FOUND');
        const after = expectList(await get(`/v1/executions?after=${kept._id}`));
        expect(after).toMatchObject({ items: [], totalCount: 0 });
      } finally {
        await mongo.close();
      }
    },
  );

  row(['completion.applications-and-tools.60'], 'a secret is masked however it is written', async () => {
    const secret = stack.sandboxCrm.apiKey;
    const bytes = Buffer.from(secret);
    const escaped = [...bytes].map((it) => `\\u${it.toString(16).padStart(4, '0')}`).join('');
    const percent = [...bytes].map((it) => `%${it.toString(16).padStart(2, '0')}`).join('');
    const hex = bytes.toString('hex');
    const spellings = [secret, escaped, percent, percent.toUpperCase(), bytes.toString('base64'), hex];
    for (const spelling of [...spellings, hex.toUpperCase()]) {
      const fields = { status: 500, message: `Before ${spelling} after` };
      const path = `/v1/tools/sandbox-crm-simulate-failure/execute?connectionId=${connectionId}`;
      const failed = await post(path, { fields });
      expect(failed.body.isSuccess, failed.text).toBe(false);
      const kept = await get(`/v1/executions/${failed.body.historyId}`);
      for (const { text } of [failed, kept]) expect(text, spelling).not.toContain(spelling);
      expect(kept.body.fields.message).toBe('Before *** after');
    }
  });

  test('outputFields returns the named parts of an output, and the history keeps all of it', async () => {
    const path = `/v1/tools/sandbox-crm-list-contacts/execute?connectionId=${connectionId}`;
    const whole = await post(path, { top: 3 });
    const contacts: Record<string, unknown>[] = whole.body.output.items;
    expect(contacts.length).toBeGreaterThan(0);
    const part = await post(path, { top: 3, outputFields: ['items.name', 'items.noSuchField'] });
    expect(part.body.output).toEqual({ items: contacts.map(({ name }) => ({ name })) });
    const kept = await get(`/v1/executions/${part.body.historyId}`);
    expect(kept.body.output).toEqual(whole.body.output);
    expect((await post(path, { top: 3, outputFields: [] })).body.output).toEqual(whole.body.output);
    const failing = `/v1/tools/sandbox-crm-simulate-failure/execute?connectionId=${connectionId}`;
    const failed = await post(failing, { fields: { status: 500 }, outputFields: ['items'] });
    expect(failed.body).toMatchObject({ isSuccess: false, errorMessage: expect.any(String) });
    const issues: [unknown, string][] = [
      [['items', 'items..name'], 'outputFields[1]'],
      [[''], 'outputFields[0]'],
      [[5], 'outputFields[0]'],
      ['items', 'outputFields'],
      [Array.from({ length: 101 }, () => 'items'), 'outputFields'],
    ];
    for (const [outputFields, field] of issues)
      expectError(await post(path, { outputFields }), 400, 'VALIDATION_ERROR', [field]);
  });
});
