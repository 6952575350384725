import { inject } from 'vitest';
import { z } from 'zod';

const registrations = z.object({ items: z.array(z.object({ id: z.string(), url: z.url() })) });
const requests = z.object({
  items: z.array(z.object({ path: z.string(), status: z.int(), durationMs: z.number() })),
});
const record = z.object({ id: z.string() });

async function ask(path: string, init: RequestInit): Promise<unknown> {
  const answer = await fetch(inject('stack').sandboxCrm.url + path, init);
  if (!answer.ok) throw new Error(`the vendor answered ${answer.status} to ${path}: ${await answer.text()}`);
  return answer.json();
}

function administer(path: string, body?: object): Promise<unknown> {
  const headers = { 'x-admin-key': inject('stack').sandboxCrm.adminKey, 'content-type': 'application/json' };
  return ask(`/admin/api/${path}`, {
    headers,
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
}

function call(method: string, path: string, body?: object): Promise<unknown> {
  const headers = { 'x-api-token': inject('stack').sandboxCrm.apiKey, 'content-type': 'application/json' };
  return ask(`/api/${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
}

/** Performs an action of the bundled vendor's admin API, such as `down`. */
export async function setVendor(action: string, body: object = {}): Promise<void> {
  await administer(action, body);
}

/** The vendor's own list of registered addresses, available even while it is down. */
export async function registeredAtVendor(): Promise<
  readonly { readonly id: string; readonly url: string }[]
> {
  return registrations.parse(await administer('webhooks')).items;
}

/** The last requests answered by the vendor. */
export async function answeredByVendor() {
  return requests.parse(await administer('requests')).items;
}

/** Adds a contact at the vendor. */
export async function addContact(name: string): Promise<void> {
  await call('POST', 'contacts', { name });
}

/** Adds a deal at the vendor; returns its id. */
export async function addDeal(title: string): Promise<string> {
  return record.parse(await call('POST', 'deals', { title })).id;
}

/** Changes a deal at the vendor. */
export async function changeDeal(id: string, amount: number): Promise<void> {
  await call('PATCH', `deals/${id}`, { amount });
}
