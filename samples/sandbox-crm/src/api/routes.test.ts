import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestCrm, testConfig } from '../testing/sandbox.ts';
import type { TestCrm } from '../testing/sandbox.ts';

let crm: TestCrm;

beforeAll(async () => {
  crm = await startTestCrm();
});

beforeEach(async () => {
  await crm.admin('/reset', {});
});

afterAll(() => crm.close());

const aTime: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const anyText: unknown = expect.any(String);
const textWith = (part: string): unknown => expect.stringContaining(part);

describe('contacts', () => {
  test('a created contact can be read, changed, found and deleted', async () => {
    const created = await crm.api('POST', '/contacts', {
      body: { name: ' Ivo Novak ', email: 'ivo@novak.example' },
    });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: 'con_9',
      name: 'Ivo Novak',
      email: 'ivo@novak.example',
      company: null,
      phone: null,
      createdAt: aTime,
    });
    expect((await crm.api('GET', '/contacts/con_9')).body).toEqual(created.body);

    const changed = await crm.api('PATCH', '/contacts/con_9', {
      body: { company: 'Novak & Co', email: null },
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { name: 'Ivo Novak', company: 'Novak & Co', email: null },
    });

    const filter = encodeURIComponent('company:eq:"Novak & Co"');
    expect((await crm.api('GET', `/contacts?filter=${filter}`)).body).toEqual({
      items: [changed.body],
      totalCount: 1,
    });

    expect(await crm.api('DELETE', '/contacts/con_9')).toMatchObject({ status: 204, body: undefined });
    expect(await crm.api('GET', '/contacts/con_9')).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    });
    expect((await crm.api('DELETE', '/contacts/con_9')).status).toBe(404);
  });

  test('every wrong field is named, and nothing is stored', async () => {
    const answer = await crm.api('POST', '/contacts', { body: { email: 'x', phone: 5, colour: 'red' } });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      error: {
        code: 'validation_failed',
        message: textWith('name: is required'),
        details: [
          { field: 'name', message: 'is required' },
          { field: 'email', message: anyText },
          { field: 'phone', message: anyText },
          { field: 'colour', message: 'is not a known field' },
        ],
      },
    });
    expect((await crm.api('GET', '/contacts?top=1')).body).toMatchObject({ totalCount: 6 });
  });

  test('an update that changes nothing is refused', async () => {
    expect(await crm.api('PATCH', '/contacts/con_1', { body: {} })).toMatchObject({ status: 400 });
  });

  test('a contact with invoices cannot be deleted; the deals of a deleted one stay without it', async () => {
    expect(await crm.api('DELETE', '/contacts/con_1')).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict' } },
    });
    const { body } = await crm.api('GET', `/deals?filter=${encodeURIComponent('contactId:eq:"con_4"')}`);
    expect(body).toMatchObject({ items: [{ title: 'Regatta logistics' }] });
    expect((await crm.api('DELETE', '/contacts/con_4')).status).toBe(204);
    const left = await crm.api('GET', `/deals?filter=${encodeURIComponent('title:eq:"Regatta logistics"')}`);
    expect(left.body).toMatchObject({ items: [{ contactId: null }] });
  });
});

describe('deals and invoices', () => {
  test('a deal starts as a lead over 0 USD and notes when it changed', async () => {
    const created = await crm.api('POST', '/deals', { body: { title: 'Pilot' } });
    expect(created).toMatchObject({
      status: 201,
      body: { amount: 0, currency: 'USD', stage: 'lead', contactId: null },
    });
    const { id, createdAt } = {
      id: '',
      createdAt: '',
      ...(typeof created.body === 'object' ? created.body : {}),
    };
    const changed = await crm.api('PATCH', `/deals/${id}`, { body: { stage: 'won', amount: 12.5 } });
    expect(changed.body).toMatchObject({ stage: 'won', amount: 12.5, createdAt });
    expect((await crm.api('GET', `/deals/${id}`)).body).toEqual(changed.body);
  });

  test('a contact named in a deal or invoice must exist in the workspace', async () => {
    for (const [path, body] of [
      ['/deals', { title: 'x', contactId: 'con_404' }],
      ['/invoices', { contactId: 'con_7', amount: 1 }],
    ] as const) {
      expect(await crm.api('POST', path, { body })).toMatchObject({
        status: 400,
        body: { error: { details: [{ field: 'contactId' }] } },
      });
    }
  });

  test('an unknown stage is refused with the accepted ones', async () => {
    const answer = await crm.api('PATCH', '/deals/deal_1', { body: { stage: 'sold' } });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { message: textWith('"won"') } },
    });
  });

  test('invoices can be made and read, not changed or deleted; deals not deleted', async () => {
    const created = await crm.api('POST', '/invoices', {
      body: { contactId: 'con_1', amount: 99.9, currency: 'EUR' },
    });
    expect(created).toMatchObject({ status: 201, body: { status: 'draft', amount: 99.9 } });
    for (const [method, path, allow] of [
      ['PATCH', '/invoices/inv_1', 'GET'],
      ['DELETE', '/invoices/inv_1', 'GET'],
      ['DELETE', '/deals/deal_1', 'GET, PATCH'],
      ['PUT', '/contacts', 'GET, POST'],
    ] as const) {
      const answer = await crm.api(method, path);
      expect(answer).toMatchObject({ status: 405, body: { error: { code: 'method_not_allowed' } } });
      expect(answer.headers.get('allow')).toBe(allow);
    }
  });
});

describe('workspaces', () => {
  const lab = { 'x-api-token': testConfig.apiToken, 'x-workspace': 'ws_lab' };

  test('both are listed and hold records of their own', async () => {
    expect((await crm.api('GET', '/workspaces')).body).toEqual({
      items: [
        { id: 'ws_trading', name: 'Harbour Trading' },
        { id: 'ws_lab', name: 'Harbour Lab' },
      ],
    });
    expect((await crm.api('GET', '/contacts')).body).toMatchObject({ totalCount: 6 });
    expect((await crm.api('GET', '/contacts', { headers: lab })).body).toMatchObject({ totalCount: 2 });
    expect((await crm.api('GET', '/contacts/con_1', { headers: lab })).status).toBe(404);
    expect((await crm.api('GET', '/whoami', { headers: lab })).body).toMatchObject({
      workspace: { id: 'ws_lab' },
    });
  });

  test('an unknown one is 403', async () => {
    const headers = { ...lab, 'x-workspace': 'ws_404' };
    expect(await crm.api('GET', '/contacts', { headers })).toMatchObject({
      status: 403,
      body: { error: { code: 'workspace_forbidden' } },
    });
  });
});

describe('requests', () => {
  test('a missing or wrong credential is 401 with a challenge', async () => {
    for (const headers of [
      {},
      { 'x-api-token': 'wrong' },
      { authorization: 'Bearer wrong' },
      { authorization: 'Basic x' },
    ]) {
      const answer = await crm.api('GET', '/contacts', { headers: { ...headers } });
      expect(answer).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
  });

  test('whoami describes the API token', async () => {
    expect((await crm.api('GET', '/whoami')).body).toEqual({
      user: 'usr_1',
      email: testConfig.user.email,
      workspace: { id: 'ws_trading', name: 'Harbour Trading' },
      scopes: ['crm.read', 'crm.write'],
      authentication: 'apiToken',
      clientId: null,
    });
  });

  test.each([
    { what: 'in another type', contentType: 'text/plain', body: 'name=x', status: 415 },
    { what: 'that is not JSON', contentType: 'application/json', body: '{"name":', status: 400 },
    { what: 'that is a list', contentType: 'application/json', body: '[1]', status: 400 },
    { what: 'that is a text', contentType: 'application/json', body: '"x"', status: 400 },
    { what: 'that is empty', contentType: 'application/json', body: '', status: 400 },
    {
      what: 'above 1 MB',
      contentType: 'application/json',
      body: `{"name":"${'x'.repeat(2 ** 20)}"}`,
      status: 413,
    },
  ])('a body $what is $status', async ({ contentType, body, status }) => {
    const headers = { 'x-api-token': testConfig.apiToken, 'content-type': contentType };
    const response = await fetch(`${crm.url}/api/contacts`, { method: 'POST', headers, body });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code: anyText, message: anyText } });
  });

  test('an unknown path is 404', async () => {
    expect(await crm.api('GET', '/leads')).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    });
  });

  test('simulate-failure returns the requested status, after the delay', async () => {
    const body = { status: 418, delayMs: 1, message: 'short and stout' };
    const answer = await crm.api('POST', '/simulate-failure', { body });
    expect(answer).toMatchObject({
      status: 418,
      body: { error: { code: 'simulated_failure', message: 'short and stout' } },
    });
    const late = crm.api('POST', '/simulate-failure', { body: { ...body, delayMs: 20_000 } });
    expect((await crm.api('POST', '/simulate-failure', { body: {} })).status).toBe(500);
    await expect(Promise.race([late, Promise.resolve('late')])).resolves.toBe('late');
    expect((await crm.api('POST', '/simulate-failure', { body: { status: 200 } })).status).toBe(400);
  });
});
