import { del, post, stack } from './api.ts';
import type { CallOptions } from './api.ts';
import { expectStatus } from './accounts.ts';

const used = new Set<string>();

/** A token of the sandbox CRM, as issued to another platform. */
async function vendorToken(): Promise<string> {
  const { url, oauthClientId, oauthClientSecret } = stack.sandboxCrm;
  const response = await fetch(new URL('/oauth/token', url), {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${oauthClientId}:${oauthClientSecret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`no token: ${response.status} ${text}`);
  return String(JSON.parse(text).access_token);
}

/** Imports a working connection to the sandbox CRM for an end user (null: the account itself). */
export async function importForEndUser(
  endUserId: string | null,
  caller?: CallOptions,
): Promise<{ id: number }> {
  if (endUserId !== null) used.add(endUserId);
  const answer = await post(
    '/admin/v1/connections/import',
    {
      applicationSlug: 'sandbox-crm',
      connectionName: `Of ${endUserId}`,
      authenticationId: 0,
      ...(endUserId !== null && { endUserId }),
      accessToken: await vendorToken(),
    },
    caller,
  );
  return expectStatus(answer, 201).body;
}

/** Deletes the imported connections, and all data of `customer-1`. */
export async function removeEndUsers(): Promise<void> {
  for (const endUserId of [...used, 'customer-1'])
    await del(`/v1/end-users/${encodeURIComponent(endUserId)}`);
  used.clear();
}
