/**
 * The client that the suite of the Model Context Protocol tests: Fairlead, through its REST API. Connects the MCP server at the
 * address in the last argument, by a sign-in if it asks for one, and calls each of its tools once.
 */
import { FormBrowser } from '@fairlead-services/identity/testing/form-browser';
import { z } from 'zod';

const baseUrl = process.env['FAIRLEAD_URL'] ?? '';
const apiKey = process.env['FAIRLEAD_API_KEY'] ?? '';
const serverUrl = process.argv.at(-1) ?? '';

/** The button of Fairlead's page. */
const CONTINUE = 'Continue to MCP server';

const started = z.object({ signInUrl: z.string(), state: z.string() });
const created = z.object({ id: z.int() });
const listed = z.object({ items: z.array(z.object({ toolSlug: z.string() })) });
const detail = z.object({
  inputSchema: z.object({ properties: z.record(z.string(), z.object({ type: z.string().optional() })) }),
});
/** The suite's data of a client that it has registered. */
const context = z.object({
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  issuer: z.string().optional(),
});

async function api<T>(answer: z.ZodType<T>, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(new URL(path, baseUrl), {
    method,
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return answer.parse(JSON.parse(text));
}

/** Acts as the person: agrees on Fairlead's page, and follows the authorization server back to it. Returns the state. */
async function signIn(): Promise<string> {
  const { signInUrl, state } = await api(started, 'POST', '/v1/connections/get-sign-in-url', {
    applicationSlug: 'mcp',
    authenticationId: 2,
    fields: { serverUrl },
    ...(await preRegistered()),
  });
  const browser = new FormBrowser({ stopAt: () => false });
  await browser.open(signInUrl);
  await browser.press(CONTINUE);
  return state;
}

/** An auth provider with the client that the suite has registered; nothing if it has none. */
async function preRegistered(): Promise<{ authProviderId?: number }> {
  const given = context.parse(JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}'));
  if (given.client_id === undefined || given.issuer === undefined) return {};
  const { id } = await api(created, 'POST', '/v1/auth-providers', {
    name: serverUrl,
    applicationSlug: 'mcp',
    authenticationId: 2,
    values: { Key1: given.client_id, Key2: given.client_secret ?? '', BaseUrl: given.issuer },
  });
  return { authProviderId: id };
}

async function connect(): Promise<number> {
  const body = { applicationSlug: 'mcp', connectionName: 'Conformance' };
  const direct = { ...body, authenticationId: 0, fields: { serverUrl } };
  try {
    return (await api(created, 'POST', '/v1/connections', direct)).id;
  } catch (refusal) {
    try {
      const signedIn = { authenticationId: 2, fields: {}, oauthState: await signIn() };
      return (await api(created, 'POST', '/v1/connections', { ...body, ...signedIn })).id;
    } catch (error) {
      // One of the two is what went wrong.
      throw new Error(`${String(refusal)}\n${String(error)}`, { cause: error });
    }
  }
}

/** A value for each type of an input. */
const VALUES: ReadonlyMap<string | undefined, unknown> = new Map<string | undefined, unknown>([
  ['number', 1],
  ['integer', 1],
  ['string', 'a'],
  ['boolean', true],
]);

const id = await connect();
const { items } = await api(listed, 'GET', `/v1/tools?applicationSlug=mcp-${id}`);
for (const { toolSlug } of items) {
  const { inputSchema } = await api(detail, 'GET', `/v1/tools/${toolSlug}?applicationSlug=mcp-${id}`);
  const inputs = Object.entries(inputSchema.properties);
  const fields = Object.fromEntries(inputs.map(([name, { type }]) => [name, VALUES.get(type)]));
  await api(z.unknown(), 'POST', `/v1/tools/${toolSlug}/execute?connectionId=${id}`, { fields });
}
