import { afterEach, describe, expect } from 'vitest';
import { del, get, patch, post, stack } from './support/api.ts';
import { createAccount, createApiKey, createUser, removeAccount } from './support/accounts.ts';
import { row } from './support/row.ts';
import { authorize, Visitor } from './support/sign-in.ts';

const endUserId = 'customer-of-the-page';

afterEach(async () => {
  await del(`/v1/end-users/${endUserId}`);
});

async function open(body: Record<string, unknown> = {}): Promise<any> {
  const given = { endUserId, applicationSlugs: ['sandbox-crm'], ...body };
  const answer = await post('/v1/connect-sessions', given);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

describe('the hosted connect page', () => {
  row(
    ['completion.connections.24', 'completion.connections.73'],
    'says which account and user ask, for which application, with which scopes; the vendor is reached by its form only',
    async () => {
      const { connectUrl, token } = await open();
      const { accountName, userName } = (await get('/v1/auth/whoami')).body;
      const visitor = new Visitor();
      const fields = await visitor.open(connectUrl);
      expect([fields.status, fields.url.href.includes(token)]).toEqual([200, false]);
      const words = ['See contacts, deals and invoices', 'Add, change and delete contacts'];
      for (const shown of [accountName, userName, 'Sandbox CRM', 'crm.read', 'crm.write', ...words])
        expect(fields.html).toContain(shown);
      const vendor = await visitor.submit(fields, {}, /sign in with Sandbox CRM/i);
      expect(vendor.url.origin).toBe(new URL(stack.sandboxCrm.url).origin);
    },
  );

  row('completion.connections.73', 'offers no application for which no connection is needed', async () => {
    const { connectUrl } = await open({ applicationSlugs: [] });
    const { html } = await new Visitor().open(connectUrl);
    const offered = [...html.matchAll(/\?application=([\w-]+)/g)].map(([, slug]) => slug);
    expect(offered).toEqual(expect.arrayContaining(['http', 'postgresql', 'sandbox-crm']));
    for (const slug of ['fairlead', 'http-webhook', 'schedule']) {
      expect((await get(`/v1/applications/${slug}`)).body).toMatchObject({ slug, isAvailable: true });
      expect(offered).not.toContain(slug);
    }
  });

  row(
    'completion.connections.77',
    'ends for the person once the opener’s key is revoked, or the opener is inactive',
    async () => {
      const account = await createAccount({ isRbacEnabled: true });
      const opener = await createUser(account, { role: 'member' });
      const other = await createApiKey(account, { userId: opener.userId });
      const open = async ({ apiKey }: { apiKey: string }): Promise<[Visitor, string]> => {
        const answer = await post('/v1/connect-sessions', { endUserId }, { apiKey });
        const visitor = new Visitor();
        const { status, url } = await visitor.open(answer.body.connectUrl);
        expect(status).toBe(200);
        return [visitor, url.href];
      };
      const [byRevoked, first] = await open(opener);
      const [byOther, second] = await open(other);
      expect((await del(`/admin/v1/api-keys/${opener.keyId}`, account)).status).toBe(204);
      expect((await byRevoked.open(first)).status).toBe(404);
      expect((await byOther.open(second)).status).toBe(200);
      expect((await patch(`/admin/v1/users/${opener.userId}`, { isActive: false }, account)).status).toBe(
        200,
      );
      expect((await byOther.open(second)).status).toBe(404);
      await removeAccount(account);
    },
  );

  row(
    ['completion.connections.73', 'completion.connections.78'],
    'connects by fields, tried before they are saved, without the account’s key',
    async () => {
      const { connectUrl, sessionId } = await open();
      const visitor = new Visitor();
      const page = await visitor.open(connectUrl);
      const refused = await visitor.submit(page, { password: 'a wrong token' }, /connect/i);
      expect(refused.status).toBe(400);
      const tried = (await get(`/v1/connect-sessions/${sessionId}`)).body;
      expect(tried).toMatchObject({ status: 'open', connections: [], lastError: expect.any(String) });

      const { apiKey: password } = stack.sandboxCrm;
      expect((await visitor.submit(refused, { password }, /connect/i)).html).toContain('You are connected');
      const { status, connections, lastError } = (await get(`/v1/connect-sessions/${sessionId}`)).body;
      expect([status, connections.length, lastError]).toEqual(['completed', 1, null]);
      const made = await get(`/v1/connections/${connections[0].connectionId}`);
      expect(made.body).toMatchObject({ endUserId, isDefault: true, status: 'Active' });
    },
  );

  row(
    ['completion.connections.69', 'completion.connections.70'],
    'connects by sign-in, and renews that connection later: the id stays',
    async () => {
      const first = await open({ metadata: { plan: 'gold' } });
      const connect = async (connectUrl: string): Promise<void> => {
        const visitor = new Visitor();
        const page = await visitor.open(connectUrl);
        const last = await authorize(`${page.url.href}?method=0`, 'allow', visitor);
        expect(last.html).toContain('Workspace');
        const [, select = ''] = /<option value="([^"]+)"/.exec(last.html) ?? [];
        const done = await visitor.submit(last, { select }, /connect/i);
        expect(done.html).toContain('You are connected');
      };
      await connect(first.connectUrl);
      const [made] = (await get(`/v1/connect-sessions/${first.sessionId}`)).body.connections;
      const again = await open({ connectionId: made.connectionId });
      await connect(again.connectUrl);
      expect((await get(`/v1/connect-sessions/${again.sessionId}`)).body.connections).toEqual([made]);
      expect((await get(`/v1/connections/${made.connectionId}`)).body).toMatchObject({
        id: made.connectionId,
        metadata: { plan: 'gold' },
        status: 'Active',
      });
    },
  );

  row(
    ['completion.connections.85'],
    'says that the end user has as many connections as are allowed; a session that has ended says so',
    async () => {
      const { connectUrl, sessionId } = await open();
      const { connectUrl: another } = await open();
      const { maxConnectionsPerEndUser } = (await get('/admin/v1/account')).body;
      await patch('/admin/v1/account', { maxConnectionsPerEndUser: 1 });
      try {
        const visitor = new Visitor();
        const limited = await open();
        const page = await visitor.open(limited.connectUrl);
        await visitor.submit(page, { password: stack.sandboxCrm.apiKey }, /connect/i);
        const full = await new Visitor().open((await open()).connectUrl);
        expect(full.html).toContain('No more connections are possible');
      } finally {
        await patch('/admin/v1/account', { maxConnectionsPerEndUser });
      }
      await del(`/v1/connect-sessions/${sessionId}`);
      const { html } = await new Visitor().open(connectUrl);
      expect(html).toContain('Nothing was connected');
      expect(html).toContain('has ended this link.');
      expect(html).not.toContain('You cancelled');
      const unknown = await new Visitor().open(`${another}x`);
      expect([unknown.status, unknown.html]).toEqual([404, expect.stringContaining('This link has ended')]);
    },
  );
});
