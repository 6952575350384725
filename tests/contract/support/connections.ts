import { del, post, put, stack } from './api.ts';

/** Creates a connection and returns its record; throws with the API's text if it was refused. */
export async function createConnection(
  body: Record<string, unknown>,
  apiKey = stack.account.apiKey,
): Promise<Record<string, any> & { id: number }> {
  const answer = await post('/v1/connections', body, { apiKey });
  if (answer.status !== 201) throw new Error(`create answered ${answer.status}: ${answer.text}`);
  return answer.body;
}

/** A sandbox-crm connection by API key. */
export function createCrmConnection(
  connectionName = 'CRM by API key',
  apiKey = stack.account.apiKey,
): Promise<Record<string, any> & { id: number }> {
  return createConnection(
    {
      applicationSlug: 'sandbox-crm',
      connectionName,
      authenticationId: 1,
      fields: { apiToken: stack.sandboxCrm.apiKey },
    },
    apiKey,
  );
}

/** A connection to the sample MCP server. */
export function createMcpConnection(
  connectionName = 'Everything',
): Promise<Record<string, any> & { id: number }> {
  return createConnection({
    applicationSlug: 'mcp',
    connectionName,
    authenticationId: 0,
    fields: { serverUrl: stack.samples.mcpServerUrl },
  });
}

/** A connection to the sample PostgreSQL. */
export function createPostgresConnection(
  connectionName = 'Sample database',
): Promise<Record<string, any> & { id: number }> {
  const url = new URL(stack.samples.postgresUrl);
  return createConnection({
    applicationSlug: 'postgresql',
    connectionName,
    fields: {
      host: url.hostname,
      port: Number(url.port),
      database: url.pathname.slice(1),
      user: url.username,
      password: decodeURIComponent(url.password),
    },
  });
}

/** Makes a connection the default of its application. */
export async function setDefault(id: number, apiKey = stack.account.apiKey): Promise<void> {
  const answer = await put(`/v1/connections/${id}/default`, undefined, { apiKey });
  if (answer.status !== 200) throw new Error(`default answered ${answer.status}: ${answer.text}`);
}

/** Removes a connection. */
export async function removeConnection(id: number, apiKey = stack.account.apiKey): Promise<void> {
  const answer = await del(`/v1/connections/${id}`, { apiKey });
  if (answer.status !== 204) throw new Error(`delete answered ${answer.status}: ${answer.text}`);
}
