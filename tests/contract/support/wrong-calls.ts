import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './accounts.ts';
import { call, expectError, post } from './api.ts';
import type { CallOptions } from './api.ts';
import { createConnection, createCrmConnection } from './connections.ts';
import type { TestAccount } from './own-accounts.ts';

/**
 * Typical mistakes of newcomers. A row has method, path, options or JSON body; status and code; the fields that `details` names (none: the
 * code alone identifies the mistake); and texts in the message that say what is expected, or how to fix it. `CRM`, `HTTP`, `TOOLSET` and
 * `TRIGGER` stand for records of the account.
 */
export type WrongCall = readonly [
  method: string,
  path: string,
  sent: SentBody,
  error: readonly [status: number, errorCode: string],
  fields: readonly string[],
  ...texts: readonly [string, ...(readonly string[])],
];
type SentBody = { readonly json: unknown } | CallOptions | undefined;

/** A JSON body. */
export const json = (body: unknown): SentBody => ({ json: body });
/** A raw body. */
export const raw = (text: string, type = 'application/json'): SentBody => ({
  raw: text,
  headers: { 'content-type': type },
});

export const INVALID = [400, 'VALIDATION_ERROR'] as const;
export const ENUM = [400, 'INVALID_ENUM_VALUE'] as const;
export const MALFORMED = [400, 'MALFORMED_BODY'] as const;
export const MISSING = [404, 'NOT_FOUND'] as const;
/** An unknown id. */
export const UNKNOWN_GUID = '0b7c9d1e-5f2a-4b3c-8d4e-6f708192a3b4';

/** Values of the placeholders. */
const records = new Map<string, string | number>();

/** Tests by domain that each call is refused as its row says, in a new account; returns the account. */
export function testWrongCalls(table: Readonly<Record<string, readonly WrongCall[]>>): () => TestAccount {
  let account: TestAccount;
  beforeAll(async () => {
    account = await createAccount();
    const { id } = await createCrmConnection('CRM', account.apiKey);
    const http = { applicationSlug: 'http', connectionName: 'HTTP' };
    const tools = [{ applicationSlug: 'sandbox-crm', toolSlug: 'sandbox-crm-whoami' }];
    const toolset = await post(
      '/v1/toolsets',
      { name: 'Narrow', connections: [{ connectionId: id }], tools },
      account,
    );
    const hook = await post('/v1/triggers', { name: 'Hook', triggerTypeSlug: 'http_webhook' }, account);
    records
      .set('CRM', id)
      .set('HTTP', (await createConnection(http, account.apiKey)).id)
      .set('TOOLSET', String(expectStatus(toolset, 201).body.id))
      .set('TRIGGER', String(expectStatus(hook, 201).body.id));
  });
  afterAll(() => removeAccount(account));

  describe('A wrong call is told what is wrong, what is expected and the way out:', () => {
    test.each(Object.keys(table))('%s', async (domain) => {
      for (const [method, path, sent, [status, errorCode], fields, ...texts] of table[domain] ?? []) {
        const address = path.replaceAll(/[A-Z]{3,}/g, (name) => String(records.get(name) ?? name));
        const answer = await call(method, address, optionsOf(sent, account));
        const name = `${method} ${path}: ${answer.text}`;
        expect([answer.status, answer.body?.errorCode], name).toEqual([status, errorCode]);
        if (fields.length > 0) expectError(answer, status, errorCode, fields);
        else expectError(answer, status, errorCode);
        for (const text of [...texts, ...fields]) expect(answer.body.message, name).toContain(text);
      }
    });
  });
  return () => account;
}

/** A path or body with the ids of the account's records. */
function filled(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_name, member: unknown) =>
      typeof member === 'string' ? (records.get(member) ?? member) : member,
    ),
  );
}

function optionsOf(sent: SentBody, account: TestAccount): CallOptions {
  if (sent === undefined) return { apiKey: account.apiKey };
  return 'json' in sent
    ? { apiKey: account.apiKey, body: filled(sent.json) }
    : { apiKey: account.apiKey, ...sent };
}
