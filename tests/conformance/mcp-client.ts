/**
 * The client under test by the Model Context Protocol's suite: Fairlead, through its REST API. Connects the MCP server at the address in
 * the last argument, signing in if required, and makes the calls named by the suite, or one call of each tool.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { FormBrowser } from '@fairlead-services/identity/testing/form-browser';
import { z } from 'zod';

const baseUrl = process.env['FAIRLEAD_URL'] ?? '';
const apiKey = process.env['FAIRLEAD_API_KEY'] ?? '';
const serverUrl = process.argv.at(-1) ?? '';

/** The message for errors that need another sign-in. */
const MUST_SIGN_IN = /Sign in again|refused the credential/;

/** The button of Fairlead's page. */
const CONTINUE = 'Continue to MCP server';

const started = z.object({ signInUrl: z.string(), state: z.string() });
const created = z.object({ id: z.int() });
const listed = z.object({ items: z.array(z.object({ toolSlug: z.string() })) });
const served = z.object({ url: z.string() });
const schema = z.looseObject({
  properties: z.record(z.string(), z.looseObject({ type: z.string().optional() })).default({}),
});
const detail = z.object({ inputSchema: schema });
const executed = z.object({ isSuccess: z.boolean(), errorMessage: z.string().nullish() });
const fields = z.record(z.string(), z.unknown());
/** The suite's data: a registered client, and the calls to make. */
const context = z
  .object({
    client_id: z.string().optional(),
    client_secret: z.string().optional(),
    issuer: z.string().optional(),
    toolCalls: z.array(z.object({ name: z.string(), arguments: fields })).optional(),
  })
  .parse(JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}'));

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

/** Acts as the person: confirms on Fairlead's page, and follows the authorization server's redirect back. Returns the state. */
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

/** An auth provider with the client that the suite has registered; undefined if it has registered none. */
async function preRegistered(): Promise<{ authProviderId?: number }> {
  const { client_id: clientId, client_secret: secret = '', issuer } = context;
  if (clientId === undefined || issuer === undefined) return {};
  const { id } = await api(created, 'POST', '/v1/auth-providers', {
    name: serverUrl,
    applicationSlug: 'mcp',
    authenticationId: 2,
    values: { Key1: clientId, Key2: secret, BaseUrl: issuer },
  });
  return { authProviderId: id };
}

/** Whether the suite tests the revision without sessions. */
const isStateless = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] === '2026-07-28';

const CONNECTION = { applicationSlug: 'mcp', connectionName: 'Conformance' };

/** Connects without a credential or, if that does not suffice, by a sign-in. */
async function connect(): Promise<number> {
  try {
    const direct = { ...CONNECTION, authenticationId: 0, fields: { serverUrl } };
    return (await api(created, 'POST', '/v1/connections', direct)).id;
  } catch (refusal) {
    try {
      return await connectSignedIn();
    } catch (error) {
      // One of the two describes the error.
      throw new Error(`${String(refusal)}\n${String(error)}`, { cause: error });
    }
  }
}

async function connectSignedIn(): Promise<number> {
  const signedIn = { ...CONNECTION, authenticationId: 2, fields: {}, oauthState: await signIn() };
  return (await api(created, 'POST', '/v1/connections', signedIn)).id;
}

/** A value for each type of an input. */
const VALUES: ReadonlyMap<string | undefined, unknown> = new Map<string | undefined, unknown>([
  ['number', 1],
  ['integer', 1],
  ['string', 'a'],
  ['boolean', true],
]);

/** Makes the calls over REST. */
async function callTools(connectionId: number): Promise<void> {
  const application = `applicationSlug=mcp-${connectionId}`;
  const { items } = await api(listed, 'GET', `/v1/tools?${application}`);
  const schemas = new Map<string, z.infer<typeof schema>>();
  for (const { toolSlug } of items) {
    const { inputSchema } = await api(detail, 'GET', `/v1/tools/${toolSlug}?${application}`);
    schemas.set(toolSlug, inputSchema);
  }
  const execute = async (slug: string, values: object): Promise<void> => {
    const path = `/v1/tools/${slug}/execute?connectionId=${connectionId}`;
    const { isSuccess, errorMessage } = await api(executed, 'POST', path, { fields: values });
    if (!isSuccess && MUST_SIGN_IN.test(errorMessage ?? '')) throw new Error(errorMessage ?? '');
  };
  if (context.toolCalls !== undefined) {
    for (const { name, arguments: values } of context.toolCalls)
      // An absent input is omitted, as REST's schemas require.
      await execute(
        name.replaceAll('_', '-'),
        Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)),
      );
    return;
  }
  const [first] = schemas.values();
  for (const [slug, { properties }] of schemas) {
    const values = Object.entries(properties).map(([name, property]): [string, unknown] => [
      name,
      valueFor(property, first),
    ]);
    await execute(slug, Object.fromEntries(values));
  }
}

/** A value for an input: one of its permitted values, or a schema for an object. */
function valueFor(
  { type, enum: choices }: Record<string, unknown> & { type?: string | undefined },
  schemaOfFirst: unknown,
) {
  if (Array.isArray(choices)) return choices[0] as unknown;
  return type === 'object' ? schemaOfFirst : VALUES.get(type);
}

/** Calls each tool as an MCP client of Fairlead whose user answers requests. */
async function callToolsAsUser(connectionId: number): Promise<void> {
  const members = { name: 'Conformance', isAnonymousAllowed: true, schemas: 'original' };
  const { url } = await api(served, 'POST', '/admin/v1/mcpservers', {
    ...members,
    connections: [{ connectionId }],
  });
  const client = new Client(
    { name: 'conformance', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: { applyDefaults: true } } },
      versionNegotiation: { mode: isStateless ? 'auto' : 'legacy' },
    },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    const asked =
      z.object({ requestedSchema: schema }).safeParse(params).data?.requestedSchema.properties ?? {};
    const missing = Object.entries(asked).filter(([, property]) => property['default'] === undefined);
    const content = Object.fromEntries(missing.map(([name, { type }]) => [name, VALUES.get(type)]));
    return {
      action: 'accept',
      content: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).parse(content),
    };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(url.replace(/\/sse$/, '/mcp'))));
  const { tools } = await client.listTools();
  for (const { name } of tools) await client.callTool({ name, arguments: {} });
  await client.close();
}

/** Scenarios in which the server sends requests to the calling user. */
const ASKING = ['elicitation-sep1034-client-defaults', 'sep-2322-client-request-state'];

const call = ASKING.includes(process.env['MCP_CONFORMANCE_SCENARIO'] ?? '') ? callToolsAsUser : callTools;
try {
  await call(await connect());
} catch (refusal) {
  // Signs in again if the error says so.
  if (!MUST_SIGN_IN.test(String(refusal))) throw refusal;
  await call(await connectSignedIn());
}
