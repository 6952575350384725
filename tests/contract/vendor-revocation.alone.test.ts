import { describe, expect } from 'vitest';
import { get, post, stack } from './support/api.ts';
import { row } from './support/row.ts';
import { authorizedState } from './support/sign-in.ts';

const execute = (tool: string): ReturnType<typeof post> => post(`/v1/tools/${tool}/execute`, {});

// Alone: the vendor revokes the grants and expires the tokens of every account.
describe('a connection by sign-in', () => {
  row(
    'connections-and-sign-in.10',
    'its access token is refreshed after the vendor expired it, unseen by the caller',
    async () => {
      const oauthState = await authorizedState();
      const body = {
        applicationSlug: 'sandbox-crm',
        connectionName: 'OAuth',
        authenticationId: 0,
        fields: {},
        oauthState,
      };
      expect((await post('/v1/connections', body)).status).toBe(201);
      expect((await execute('sandbox-crm-whoami')).body).toMatchObject({ isSuccess: true });
      await vendorAdmin('expire-tokens');
      const after = await execute('sandbox-crm-whoami');
      expect(after.body, after.text).toMatchObject({ isSuccess: true });
      await vendorAdmin('revoke-grants');
      await vendorAdmin('expire-tokens');
      const revoked = await execute('sandbox-crm-whoami');
      expect(revoked.body).toMatchObject({
        isSuccess: false,
        errorMessage: expect.stringMatching(/sign in|authenticat/i),
      });
      const { connectionId } = revoked.body.executionInfo;
      expect((await get(`/v1/connections/${connectionId}`)).body.status).toBe('NeedsReauthentication');
    },
  );
});

async function vendorAdmin(action: string): Promise<void> {
  const answer = await fetch(`${stack.sandboxCrm.url}/admin/api/${action}`, {
    method: 'POST',
    headers: { 'x-admin-key': stack.sandboxCrm.adminKey, 'content-type': 'application/json' },
    body: '{}',
  });
  if (!answer.ok)
    throw new Error(`The vendor's admin API answered ${answer.status} to ${action}: ${await answer.text()}`);
}
