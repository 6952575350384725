import { encodeConnector } from '@fairlead/connector-model/codec';
import type { AuthenticationMethod, ConnectorHead } from '@fairlead/connector-model/model';
import { McpDiscoveryError } from '@fairlead/connector-runtime/mcp/discover-tools';
import type { McpDiscovery } from '@fairlead/connector-runtime/mcp/discover-tools';
import { OverloadError } from '@fairlead/connector-runtime/failure';
import type { ConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import { overloaded, validationError } from '@fairlead/errors/api-error';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { AccountPermits } from '@fairlead/service-kit/permits/account-permits';
import { refuseReservedSlug } from '../../domain/imported-slug.ts';
import type { Catalog } from '../../ports/catalog.ts';
import type { ImportedApplications } from '../../ports/imports.ts';

const MCP = 'mcp';
const TIMEOUT_MS = 15_000;
const WAIT_MS = 5_000;

export interface ImportMcpServerDeps<A> {
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly runtime: Pick<ConnectorRuntime, 'discoverMcpTools'>;
  readonly imported: ImportedApplications<A>;
  readonly importPermits: Pick<AccountPermits, 'run'>;
}

/**
 * Converts the tools that a server lists to anonymous clients to an application, and stores it as the account's own. Its connections call
 * that server, with or without a token. VALIDATION_ERROR if the tools cannot be read.
 */
export async function importMcpServer<A>(
  { catalog, runtime, imported, importPermits }: ImportMcpServerDeps<A>,
  ctx: RequestContext,
  { slug, serverUrl }: { readonly slug: string; readonly serverUrl: string },
): Promise<A> {
  const accountId = accountOf(ctx);
  refuseReservedSlug(slug);
  const permit = { accountId, partition: '', signal: ctx.signal, waitMs: WAIT_MS, heldBytes: () => 0 };
  return importPermits.run(permit, async () => {
    const mcp = await catalog.getConnector(ctx, MCP);
    const methods = mcp.authenticationMethods.filter(({ scheme }) => scheme.type !== 'oauth2');
    const method = methods.find(({ scheme }) => scheme.type === 'none');
    if (method === undefined) throw new Error('The application mcp has no method without a credential.');
    const credential = { version: 0, fields: { serverUrl }, secrets: [] };
    const options = { accountId, signal: ctx.signal, timeoutMs: TIMEOUT_MS };
    const server = await runtime.discoverMcpTools(mcp, method, credential, options).catch(refuse);
    if (Buffer.from(server.toolsJson).toString() === '[]')
      throw validationError({ field: 'serverUrl', issue: 'the server lists no tools without a credential' });
    const head = headOf(mcp, methods, server, { slug, serverUrl });
    return imported.add(ctx, encodeConnector(head, server.toolsJson));
  });
}

function refuse(error: unknown): never {
  if (error instanceof OverloadError) throw overloaded(error.message);
  if (!(error instanceof McpDiscoveryError)) throw error;
  const advice = error.isUnauthorized ? ` Connect it with the application ${MCP} instead.` : '';
  throw validationError({ field: 'serverUrl', issue: `${error.message}${advice}` });
}

function headOf(
  mcp: ConnectorHead,
  methods: readonly AuthenticationMethod[],
  { serverName, serverVersion }: Pick<McpDiscovery, 'serverName' | 'serverVersion'>,
  { slug, serverUrl }: { readonly slug: string; readonly serverUrl: string },
): ConnectorHead {
  const name = serverName === '' ? slug : serverName;
  return {
    ...mcp,
    slug,
    name,
    description: `The tools of the MCP server ${[name, serverVersion].join(' ').trim()}.`,
    kind: 'Regular',
    maturity: 'generated',
    version: '1.0.0',
    authenticationMethods: methods.map((method) => ({
      ...method,
      fields: method.fields.map((field) =>
        field.name === 'serverUrl'
          ? {
              ...field,
              type: 'select' as const,
              defaultValue: serverUrl,
              options: [{ value: serverUrl, label: serverUrl.slice(0, 200), translations: {} }],
            }
          : field,
      ),
    })),
  };
}
